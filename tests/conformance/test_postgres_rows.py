"""The rows that a life of sessions leaves in PostgreSQL, and what its functions and triggers promise."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statecore.core.actors import Actor
from statecore.core.audit import AuditEntry
from statecore.core.delta import REMOVED, StateDelta, make_delta
from statecore.core.errors import SessionNotFoundError, StatecoreError
from statecore.core.ids import OwnerKey, SessionKey, slot_of
from statecore.core.replay import replay
from statecore.storage.postgres import PostgresStore, PsycopgConnections
from tests.builders import append, create, make_event, make_key, read
from tests.strategies import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from statecore.service.port import SessionStore

pytestmark = pytest.mark.django_db  # sets the database up; nothing here goes through Django

KIM = Actor.operator("kim")
MARK = "never-to-be-stored"
TABLES = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'statecore%' ORDER BY 1"


@pytest.fixture
def database(conninfo: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to look at rows with."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        yield connection


@pytest.fixture
def store(conninfo: str) -> Iterator[SessionStore]:
    with psycopg.connect(conninfo) as connection:
        yield PostgresStore(PsycopgConnections(connection))


def live_a_life(store: SessionStore, app_name: str) -> list[SessionKey]:
    """Do everything that a store can do to sessions of one app; return the keys of those that are left."""
    keys = [make_key(app_name=app_name, session_id=name) for name in ("kept", "imported", "deleted", "expired")]
    for number, key in enumerate(keys):
        create(store, key, state={"a": 0, "b": [1], "user:a": number, "app:a": number, "temp:x": MARK})
        append(store, key, make_event(delta={"a": 1, "c": None, "user:b": number, "app:a": None, "temp:x": MARK}))
        append(store, key, make_event(removes=("b", "user:a", "app:never", "never")))
        append(store, key, make_event(delta={f"{scope}k{n}": n for n in range(20) for scope in ("", "user:", "app:")}))
        repeated = make_event(delta={"d": {"x": 1}})
        append(store, key, repeated, repeated)
    store.append_events(keys[1], [make_event(delta={"a": n, "user:b": n, "app:c": n}) for n in range(600)])
    store.correct_state(keys[1], make_delta({"a": "corrected", "e": 1}, ("c",)))
    store.correct_state(keys[1], make_delta({"a": "corrected again"}, ("e",)))
    append(store, keys[1], make_event(delta={"a": 2}))
    store.correct_state(keys[1], make_delta({}, ("a",)))
    store.delete_session(keys[2], rule="person", actor=str(KIM))
    create(store, keys[3], now=read(store, keys[3]).expire_time)
    with contextlib.suppress(StatecoreError), store.transaction():
        append(store, keys[0], make_event(delta={"a": "lost", "app:a": "lost", "user:new": "lost"}))
        raise StatecoreError
    return [keys[0], keys[1]]


def test_state_is_the_fold_of_its_history(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = make_key().app_name
    keys = live_a_life(store, app_name)
    owners = [OwnerKey(app_name), OwnerKey(app_name, keys[0].user_id)]
    names = [name for (name,) in database.execute("SELECT DISTINCT key FROM statecore_state_change")]
    targets: list[SessionKey | OwnerKey] = [*keys, *owners]
    for target in targets:
        changes = []
        for name in names:
            entries = store.list_history(target, name, limit=2000)
            changes += [(entry.position, entry.change) for entry in entries]
        fold = replay(change for _, change in sorted(changes, key=lambda each: each[0]))
        if isinstance(target, SessionKey):
            current: Any = dict(read(store, target).scoped_state.session)
        else:
            prefix = "app:" if target.user_id is None else "user:"
            current = {f"{prefix}{name}": value for name, value in store.get_owner_state(target).state.items()}
        assert fold == current
        assert len(fold) > 10


def test_seq_of_every_session_has_no_gap(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    live_a_life(store, make_key().app_name)
    broken = database.execute("""
        SELECT s.id FROM statecore_session s LEFT JOIN statecore_event e ON e.session_ref = s.id
         GROUP BY s.id, s.revision
        HAVING s.revision <> count(e.seq) OR s.revision > 0 AND (min(e.seq) <> 1 OR max(e.seq) <> s.revision)""")
    assert broken.fetchall() == []


def test_events_and_shared_changes_of_a_session_are_in_one_global_order(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    live_a_life(store, make_key().app_name)
    assert database.execute("""
        SELECT a.session_ref, a.seq FROM statecore_event a
          JOIN statecore_event b ON b.session_ref = a.session_ref AND b.seq = a.seq + 1
         WHERE b.gid <= a.gid""").fetchall() == []  # fmt: skip


def test_every_change_names_what_made_it(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    live_a_life(store, make_key().app_name)
    nameless = database.execute("""
        SELECT c.owner_ref, c.key, c.position FROM statecore_state_change c
         WHERE NOT EXISTS (SELECT FROM statecore_receipt r WHERE r.id = c.session_ref)
           AND NOT EXISTS (SELECT FROM statecore_session s WHERE s.id = c.session_ref AND CASE c.kind
                 WHEN 0 THEN EXISTS (SELECT FROM statecore_event e WHERE e.session_ref = s.id AND e.seq = c.seq)
                 WHEN 1 THEN c.seq = 0 WHEN 2 THEN c.seq <= s.revision END)""")
    assert nameless.fetchall() == []
    made = database.execute("SELECT DISTINCT kind FROM statecore_state_change ORDER BY 1")
    assert made.fetchall() == [(0,), (1,), (2,)]


def test_temp_values_are_in_no_table(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = make_key().app_name
    live_a_life(store, app_name)
    holders = {}
    for (table,) in database.execute(TABLES).fetchall():
        for word in (MARK, app_name):
            found = database.execute(f"SELECT count(*) FROM {table} t WHERE t::text LIKE %s", [f"%{word}%"]).fetchone()
            holders[table, word] = found[0] if found else 0
    assert {table for (table, word), count in holders.items() if word == MARK and count} == set()
    assert holders["statecore_owner", app_name] == 2  # so the search does find what is there


def test_deleted_session_leaves_only_its_receipt_and_shared_changes(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    session = create(store, state={"a": 1, "user:a": 1})
    append(store, session, make_event(delta={"a": 2, "app:a": 2}), make_event(delta={"b": 3}))
    store.delete_session(session.key, rule="person", actor=str(KIM))
    left = database.execute(
        """SELECT (SELECT count(*) FROM statecore_event WHERE session_ref = %(id)s),
                  (SELECT count(*) FROM statecore_state WHERE owner_ref = %(id)s),
                  (SELECT count(*) FROM statecore_state_change WHERE owner_ref = %(id)s),
                  (SELECT count(*) FROM statecore_session WHERE id = %(id)s),
                  (SELECT count(*) FROM statecore_state_change WHERE session_ref = %(id)s)""",
        {"id": session.id},
    ).fetchone()
    assert left == (0, 0, 0, 0, 2)
    receipt = database.execute(
        "SELECT app_name, user_id, session_id, rule, actor, event_count FROM statecore_receipt WHERE id = %s",
        [session.id],
    ).fetchone()
    assert receipt == (session.key.app_name, session.key.user_id, "trip", "person", "operator:kim", 2)


def test_expired_session_that_makes_way_leaves_a_receipt(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    session = create(store)
    append(store, session)
    create(store, session.key, now=session.expire_time + timedelta(seconds=1))
    rule = database.execute("SELECT rule, event_count FROM statecore_receipt WHERE id = %s", [session.id]).fetchone()
    assert rule == ("expired", 1)


def test_retry_in_a_transaction_of_an_event_whose_session_expired_is_refused(store: SessionStore) -> None:
    session = create(store)
    event = make_event()
    append(store, session, event)
    with store.transaction(), pytest.raises(SessionNotFoundError):
        append(store, session, event, now=session.expire_time)


@settings(max_examples=200)
@given(texts(max_size=128), st.none() | texts(max_size=128))
def test_slot_in_sql_is_the_slot_in_python(
    database: psycopg.Connection[Any], app_name: str, user_id: str | None
) -> None:
    found = database.execute("SELECT statecore_slot_of(%s, %s)", [app_name, user_id]).fetchone()
    assert found == (slot_of(app_name, user_id),)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE statecore_audit SET actor = 'nobody'", "DELETE FROM statecore_audit", "TRUNCATE statecore_audit"],
)
def test_audit_records_cannot_be_changed_or_deleted(
    store: SessionStore, database: psycopg.Connection[Any], statement: str
) -> None:
    audit_id = store.record_audit(AuditEntry(KIM, "read", owner=OwnerKey("shop", "ana@example.com")))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.execute(statement)
    row = database.execute("SELECT actor, t::text FROM statecore_audit t WHERE id = %s", [audit_id]).fetchone()
    assert row is not None
    assert row[0] == "operator:kim"
    assert "ana@example.com" not in row[1]


def test_audit_record_and_act_are_undone_together(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    session = create(store)
    before = database.execute("SELECT count(*) FROM statecore_audit").fetchone()
    with contextlib.suppress(StatecoreError), store.transaction():
        store.delete_session(session.key, rule="person", actor=str(KIM))
        store.record_audit(AuditEntry(KIM, "delete", session_id=session.id))
        raise StatecoreError
    assert read(store, session) == session
    assert database.execute("SELECT count(*) FROM statecore_audit").fetchone() == before


def test_one_person_has_one_subject_in_the_audit_log(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = make_key().app_name
    for user_id in ("ana", "bob", "ana", None):
        store.record_audit(AuditEntry(KIM, "read", owner=OwnerKey(app_name, user_id)))
    found = database.execute(
        "SELECT count(*), count(subject_ref), count(DISTINCT subject_ref) FROM statecore_audit WHERE app_name = %s",
        [app_name],
    ).fetchone()
    assert found == (4, 3, 2)


def test_many_and_few_changes_leave_equal_rows(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    many = {f"{scope}k{n:02}": [n, None] for n in range(9) for scope in ("", "user:", "app:")}

    def rows(deltas: list[StateDelta]) -> list[Any]:
        session = create(store)
        for delta in deltas:
            append(store, session, make_event(delta=delta.values, removes=delta.removed))
        return database.execute(
            """SELECT c.key, c.value::text, c.kind, c.owner_ref = %(id)s, c.slot = c.owner_ref & 4095, s.value::text,
                      c.value IS NULL
                 FROM statecore_state_change c LEFT JOIN statecore_state s USING (owner_ref, key)
                WHERE session_ref = %(id)s ORDER BY c.key, c.owner_ref = %(id)s, c.owner_ref""",
            {"id": session.id},
        ).fetchall()

    at_once = rows([make_delta(many, ("gone", "user:gone", "app:gone"))])
    one_by_one = rows([*(make_delta({key: value}) for key, value in many.items()), make_delta({}, ("gone",)),
                       make_delta({}, ("user:gone",)), make_delta({}, ("app:gone",))])  # fmt: skip
    assert at_once == one_by_one
    assert len(at_once) == 30


def test_removal_of_a_key_is_not_null(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    session = create(store, state={"a": 1, "b": 1})
    append(store, session, make_event(delta={"a": None}, removes=("b",)))
    rows = database.execute(
        "SELECT key, value::text FROM statecore_state WHERE owner_ref = %s ORDER BY 1", [session.id]
    )
    assert rows.fetchall() == [("a", "null"), ("b", None)]
    assert store.list_history(session.key, "b")[0].change.value is REMOVED
