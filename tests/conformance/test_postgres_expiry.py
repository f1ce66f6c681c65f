"""Policies of apps and holds, which are set by SQL here: how a session lives by them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from statecore.core.errors import SessionExistsError, SessionNotFoundError
from statecore.core.ids import slot_of, slot_of_id
from statecore.core.sessions import ExpireRule, Origin
from statecore.storage.postgres import PostgresStore, PsycopgConnections
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from statecore.core.sessions import Session
    from statecore.service.port import SessionStore

pytestmark = pytest.mark.django_db  # sets the database up; nothing here goes through Django

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def database(conninfo: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection to set policies and holds with."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        yield connection


@pytest.fixture
def store(conninfo: str) -> Iterator[SessionStore]:
    with psycopg.connect(conninfo) as connection:
        yield PostgresStore(PsycopgConnections(connection), default_ttl=timedelta(days=30))


def set_policy(database: psycopg.Connection[Any], app_name: str, ttl: timedelta, *, is_sliding: bool = False) -> None:
    """Give an app, which some session has made known, a policy."""
    changed = database.execute(
        """UPDATE statecore_owner SET policy_ttl = %s, is_policy_sliding = %s
            WHERE slot = %s AND app_name = %s AND user_id IS NULL""",
        [ttl, is_sliding, slot_of(app_name), app_name],
    )
    assert changed.rowcount == 1


def hold(database: psycopg.Connection[Any], session: Session, until: datetime) -> None:
    database.execute("UPDATE statecore_session SET hold_until = %s WHERE id = %s", [until, session.id])


def known_app(store: SessionStore) -> str:
    return create(store).key.app_name


def test_session_of_an_app_without_a_policy_lives_as_long_as_the_store_says(store: SessionStore) -> None:
    session = create(store, now=NOON)
    assert (session.expire_time, session.expire_rule) == (NOON + timedelta(days=30), ExpireRule.DEFAULT)


@pytest.mark.parametrize("origin", Origin)
def test_policy_of_an_app_decides_for_its_new_sessions(
    store: SessionStore, database: psycopg.Connection[Any], origin: Origin
) -> None:
    app_name = known_app(store)
    old = create(store, make_key(app_name=app_name, session_id="old"), now=NOON)
    set_policy(database, app_name, DAY)
    new = create(store, make_key(app_name=app_name, session_id="new"), origin=origin, now=NOON)
    assert (new.expire_time, new.expire_rule) == (NOON + DAY, ExpireRule.POLICY)
    assert read(store, old, now=NOON) == old
    assert create(store, now=NOON).expire_rule is ExpireRule.DEFAULT


def test_given_time_goes_before_the_policy_and_does_not_slide(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    app_name = known_app(store)
    set_policy(database, app_name, DAY, is_sliding=True)
    for name, given in (("ttl", {"ttl": HOUR}), ("time", {"expire_time": NOON + HOUR})):
        session = create(store, make_key(app_name=app_name, session_id=name), now=NOON, **given)
        append(store, session, now=NOON + HOUR / 2)
        found = read(store, session, now=NOON + HOUR / 2)
        assert (found.expire_time, found.expire_rule) == (NOON + HOUR, ExpireRule.GIVEN)


def test_sliding_policy_counts_from_the_last_activity(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = known_app(store)
    set_policy(database, app_name, DAY, is_sliding=True)
    session = create(store, make_key(app_name=app_name, session_id="slides"), now=NOON)
    assert (session.expire_time, session.expire_rule) == (NOON + DAY, ExpireRule.SLIDING)
    append(store, session, make_event(timestamp=1.0), now=NOON + HOUR)
    assert read(store, session, now=NOON + HOUR).expire_time == NOON + HOUR + DAY
    store.append_events(session.key, [make_event(), make_event()], now=NOON + 2 * HOUR)
    assert read(store, session, now=NOON + 2 * HOUR).expire_time == NOON + 2 * HOUR + DAY
    assert store.get_session(session.key, now=NOON + 2 * HOUR + DAY) is None


def test_clock_that_runs_backwards_shortens_no_session(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = known_app(store)
    set_policy(database, app_name, DAY, is_sliding=True)
    session = create(store, make_key(app_name=app_name, session_id="slides"), now=NOON)
    append(store, session, now=NOON - HOUR)
    assert read(store, session, now=NOON).expire_time == NOON + DAY
    store.append_events(session.key, [make_event()], now=NOON - HOUR)
    assert read(store, session, now=NOON).expire_time == NOON + DAY


def test_repeated_event_is_no_activity(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    app_name = known_app(store)
    set_policy(database, app_name, DAY, is_sliding=True)
    session = create(store, make_key(app_name=app_name, session_id="slides"), now=NOON)
    event = make_event()
    append(store, session, event, now=NOON)
    before = read(store, session, now=NOON)
    assert append(store, session, event, now=NOON + HOUR).is_repeat
    assert read(store, session, now=NOON + HOUR) == before


def test_held_session_lives_past_its_time(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    session = create(store, state={"a": 1}, ttl=HOUR, now=NOON)
    hold(database, session, NOON + DAY)
    last_moment = NOON + DAY - timedelta(microseconds=1)
    append(store, session, make_event(delta={"b": 2}), now=last_moment)
    found = read(store, session, now=last_moment)
    assert (found.state, found.expire_time, found.hold_until) == ({"a": 1, "b": 2}, NOON + HOUR, NOON + DAY)
    assert store.list_sessions(session.key.app_name, now=last_moment) == [
        read(store, session, num_recent_events=0, now=last_moment)
    ]
    with pytest.raises(SessionExistsError):
        create(store, session.key, now=last_moment)
    assert store.get_session(session.key, now=NOON + DAY) is None
    with pytest.raises(SessionNotFoundError):
        append(store, session, now=NOON + DAY)


def test_hold_that_ends_before_the_session_does_not_shorten_it(
    store: SessionStore, database: psycopg.Connection[Any]
) -> None:
    session = create(store, ttl=DAY, now=NOON)
    hold(database, session, NOON + HOUR)
    assert read(store, session, now=NOON + 2 * HOUR).expire_time == NOON + DAY


def test_deleted_session_takes_its_holds_along(store: SessionStore, database: psycopg.Connection[Any]) -> None:
    sessions = [create(store), create(store)]
    for session in sessions:
        database.execute(
            """INSERT INTO statecore_hold (session_ref, slot, reason, actor, create_time, end_time, release_actor)
               VALUES (%(id)s, %(slot)s, 'asked', 'operator:kim', %(now)s, %(now)s, '')""",
            {"id": session.id, "slot": slot_of_id(session.id), "now": NOON},
        )
    store.delete_session(sessions[0].key, rule="person", actor="operator:kim")
    ids = [session.id for session in sessions]
    left = database.execute("SELECT session_ref FROM statecore_hold WHERE session_ref = ANY (%s)", [ids]).fetchall()
    assert left == [(sessions[1].id,)]
