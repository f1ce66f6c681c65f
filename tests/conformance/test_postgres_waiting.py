"""Who waits for whom on PostgreSQL, what comes of it, and that what was acknowledged survives."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError

from statecore.core.ids import OwnerKey, SessionKey
from statecore.embedded import EmbeddedServer
from statecore.storage.postgres import DjangoConnections, PostgresStore, PsycopgConnections
from tests.builders import append, create, make_event, make_key, read
from tests.e2e.processes import manage
from tests.integration.embedded_client import kill, server_processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from statecore.service.port import SessionStore

pytestmark = pytest.mark.django_db  # sets the database up; little here goes through Django


@pytest.fixture
def database(conninfo: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to look at rows with."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        yield connection


@pytest.fixture
def store(conninfo: str) -> Iterator[SessionStore]:
    with psycopg.connect(conninfo) as connection:
        yield PostgresStore(PsycopgConnections(connection))


@pytest.fixture
def other_store(conninfo: str) -> Iterator[SessionStore]:
    """A second writer; it gives up where it would have to wait for the first."""
    with psycopg.connect(conninfo, options="-c lock_timeout=3s") as connection:
        yield PostgresStore(PsycopgConnections(connection))


def wait_until_blocked(database: psycopg.Connection[Any]) -> None:
    """Return when a connection to this database waits for a lock of another."""
    for _ in range(1000):
        waiting = database.execute(
            """SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity
                WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"""
        ).fetchone()
        if waiting and waiting[0]:
            return
    pytest.fail("nobody waits")


def test_create_finds_a_key_free_that_a_sweep_is_just_freeing(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    session = create(store)
    later = session.expire_time
    results: list[object] = []
    creating = threading.Thread(target=lambda: results.append(create(store, session.key, now=later)))
    with database.transaction():
        database.execute("SELECT FROM statecore_session WHERE id = %s FOR UPDATE", [session.id])
        creating.start()
        wait_until_blocked(database)
        database.execute(
            "SELECT statecore_delete_session(slot, id, 'expired', 'sweep', %s) FROM statecore_session WHERE id = %s",
            [later, session.id],
        )
    creating.join(60)
    assert results == [read(store, session.key, now=later)]


def test_import_that_had_to_wait_comes_after_what_it_waited_for(
    store: SessionStore, other_store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    session = create(store)
    events = [make_event(delta={"user:last": f"import {number}"}) for number in range(3)]
    importing = threading.Thread(target=lambda: other_store.append_events(session.key, events))
    with store.transaction():
        append(store, session)
        importing.start()
        wait_until_blocked(database)
        append(store, session, make_event(delta={"user:last": "append"}))
    importing.join(60)
    assert read(store, session).state == {"user:last": "import 2"}
    at = store.get_state_at(session.key, 2)
    assert at is not None
    assert at.user == {"last": "append"}


@pytest.mark.parametrize("scope", ["app", "user"])
def test_appends_of_different_sessions_do_not_wait_on_a_hot_key(
    store: SessionStore, other_store: SessionStore, scope: str
) -> None:
    app_name = make_key().app_name
    first, second = (create(store, make_key(app_name=app_name, session_id=name)) for name in ("first", "second"))
    append(store, first, make_event(delta={f"{scope}:hot": 0}))
    with store.transaction():
        append(store, first, make_event(delta={f"{scope}:hot": 1}))
        append(other_store, second, make_event(delta={f"{scope}:hot": 2}))  # the lock timeout would end a wait
        assert read(other_store, first).state == {f"{scope}:hot": 2}
    owner = OwnerKey(app_name, None if scope == "app" else first.key.user_id)
    history = store.list_history(owner, "hot")
    assert [entry.change.value for entry in history] == [2, 1, 0]
    assert read(store, first).state == read(store, second).state == {f"{scope}:hot": 2}


@pytest.mark.parametrize("method", ["append_event", "append_events"])
def test_append_that_the_database_gave_up_is_done_again(
    conninfo: str, store: SessionStore, database: psycopg.Connection[Any], method: str
) -> None:
    session = create(store)
    event = make_event(delta={"a": 1})

    def lose() -> None:
        # At this level a statement that had to wait for another writer fails, as one does that loses a deadlock.
        with psycopg.connect(conninfo, options=r"-c default_transaction_isolation=repeatable\ read") as connection:
            loser = PostgresStore(PsycopgConnections(connection))
            if method == "append_event":
                loser.append_event(session.key, event)
            else:
                loser.append_events(session.key, [event])

    losing = threading.Thread(target=lose)
    with store.transaction():
        append(store, session)
        losing.start()
        wait_until_blocked(database)
    losing.join(60)
    found = read(store, session)
    assert (found.revision, found.state) == (2, {"a": 1})
    assert found.events[-1].event_id == event.event_id


@pytest.mark.parametrize("method", ["append_event", "append_events"])
def test_error_of_the_database_reaches_the_caller(conninfo: str, store: SessionStore, method: str) -> None:
    session = create(store)
    with store.transaction():
        append(store, session)
        with psycopg.connect(conninfo, options="-c lock_timeout=100ms") as connection:
            hasty = PostgresStore(PsycopgConnections(connection))
            with pytest.raises(psycopg.errors.LockNotAvailable):
                append(hasty, session) if method == "append_event" else hasty.append_events(session.key, [make_event()])
    assert read(store, session).revision == 1


def test_transaction_that_is_lost_already_is_told_as_django_tells_it() -> None:
    store = PostgresStore(DjangoConnections())
    session = create(store)
    with store.transaction():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            append(store, session)
    assert read(store, session).revision == 0


def test_writer_of_one_session_does_not_hold_up_its_readers(store: SessionStore, other_store: SessionStore) -> None:
    session = create(store, state={"n": 0})
    with store.transaction():
        append(store, session, make_event(delta={"n": 1}))
        assert read(other_store, session) == session
        assert other_store.list_sessions(session.key.app_name) == [session]
    assert read(other_store, session).revision == 1


@pytest.mark.slow
def test_acknowledged_appends_survive_kill_9_of_the_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    var: Path = tmp_path_factory.mktemp("kill")
    server = EmbeddedServer(var)
    done = manage("migrate", "--verbosity=0", var=var)
    assert (done.returncode, done.stderr) == (0, "")
    key = SessionKey("shop", "ana", "trip")
    acknowledged: list[str] = []

    def connect() -> psycopg.Connection[Any]:
        return server.connect(lambda: psycopg.connect(server.info.url))

    def write(store: SessionStore) -> None:
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                event = make_event(delta={"n": len(acknowledged), "app:n": len(acknowledged)})
                append(store, key, event)
                acknowledged.append(event.event_id)

    with contextlib.closing(connect()) as connection:
        doomed = PostgresStore(PsycopgConnections(connection))
        create(doomed, key)
        writer = threading.Thread(target=write, args=[doomed])
        writer.start()
        while len(acknowledged) < 50:
            writer.join(0.01)
            assert writer.is_alive()
        kill(*server_processes(var))
        writer.join(60)
    with contextlib.closing(connect()) as connection:
        found = read(PostgresStore(PsycopgConnections(connection)), key)
    stored = [event.event_id for event in found.events]
    assert stored[: len(acknowledged)] == acknowledged
    assert len(stored) <= len(acknowledged) + 1  # one may have been stored and not answered
    assert found.state == {"n": len(stored) - 1, "app:n": len(stored) - 1}
    server.release()
