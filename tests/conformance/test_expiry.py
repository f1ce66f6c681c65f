from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from statecore.core.delta import StateDelta
from statecore.core.errors import SessionExistsError, SessionNotFoundError
from statecore.core.ids import OwnerKey
from statecore.core.sessions import ExpireRule, Origin
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

NOON = datetime(2026, 11, 30, 12, 0, 0, 654321, tzinfo=UTC)
HOUR = timedelta(hours=1)
LAST_MOMENT = NOON + HOUR - timedelta(microseconds=1)


def test_session_lives_365_days_unless_something_else_is_said(store: SessionStore) -> None:
    session = create(store, now=NOON)
    assert (session.expire_time, session.expire_rule) == (NOON + timedelta(days=365), ExpireRule.DEFAULT)


def test_imported_session_lives_365_days_from_its_import(store: SessionStore) -> None:
    session = create(
        store, origin=Origin.IMPORTED, create_time=datetime(2001, 1, 1, tzinfo=UTC), update_time=1.0, now=NOON
    )
    assert (session.expire_time, session.expire_rule) == (NOON + timedelta(days=365), ExpireRule.IMPORT_DEFAULT)


def test_ttl_counts_from_the_creation(store: SessionStore) -> None:
    session = create(store, ttl=timedelta(seconds=90.5), now=NOON)
    assert (session.expire_time, session.expire_rule) == (NOON + timedelta(seconds=90.5), ExpireRule.GIVEN)


def test_expire_time_is_kept_in_utc(store: SessionStore) -> None:
    expire_time = datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=timezone(timedelta(hours=2)))
    session = create(store, expire_time=expire_time, now=NOON)
    assert (session.expire_time, session.expire_rule) == (expire_time, ExpireRule.GIVEN)
    assert session.expire_time.utcoffset() == timedelta(0)


def test_events_and_deletes_of_others_do_not_move_the_expire_time(store: SessionStore) -> None:
    session = create(store, ttl=HOUR, now=NOON)
    append(store, session, make_event(timestamp=9e12), now=LAST_MOMENT)
    assert read(store, session, now=LAST_MOMENT).expire_time == NOON + HOUR


def test_session_is_there_to_its_last_moment(store: SessionStore) -> None:
    session = create(store, state={"a": 1}, ttl=HOUR, now=NOON)
    assert read(store, session, now=LAST_MOMENT).state == {"a": 1}
    assert len(store.list_sessions(session.key.app_name, now=LAST_MOMENT)) == 1
    assert store.get_state_at(session.key, 0, now=LAST_MOMENT) is not None
    assert append(store, session, make_event(), now=LAST_MOMENT).revision == 1
    with pytest.raises(SessionExistsError):
        create(store, session.key, now=LAST_MOMENT)


def test_expired_session_is_missing_for_every_method_at_once(store: SessionStore) -> None:
    session = create(store, state={"a": 1}, ttl=HOUR, now=NOON)
    event = make_event()
    append(store, session, event, now=NOON)
    end = NOON + HOUR
    assert store.get_session(session.key, now=end) is None
    assert store.list_sessions(session.key.app_name, now=end) == []
    assert store.list_sessions(session.key.app_name, session.key.user_id, now=end) == []
    assert store.get_state_at(session.key, 0, now=end) is None
    assert store.delete_session(session.key, rule="person", actor="operator:kim", now=end) is None
    for refused in (
        lambda: append(store, session, make_event(), now=end),
        lambda: append(store, session, event, now=end),
        lambda: append(store, session, make_event(), expected_revision=7, now=end),
        lambda: store.append_events(session.key, [make_event()], now=end),
        lambda: store.correct_state(session.key, StateDelta({"a": 2}, ()), now=end),
    ):
        with pytest.raises(SessionNotFoundError):
            refused()


def test_history_of_an_expired_session_is_empty(store: SessionStore) -> None:
    session = create(store, state={"a": 1}, ttl=HOUR, now=datetime.now(UTC) - timedelta(days=1))
    assert store.list_history(session.key, "a") == []


def test_expired_session_leaves_what_it_shared(store: SessionStore) -> None:
    session = create(store, state={"user:b": 2, "app:c": 3}, ttl=HOUR, now=NOON)
    other = create(store, make_key(app_name=session.key.app_name, session_id="other"), now=NOON + HOUR)
    assert other.state == {"user:b": 2, "app:c": 3}
    assert store.get_owner_state(OwnerKey(session.key.app_name)).state == {"c": 3}


def test_expired_session_makes_way_for_a_new_one_with_its_key(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2}, ttl=HOUR, now=NOON)
    append(store, session, make_event(event_id="e1", delta={"c": 1}), now=NOON)
    again = create(store, session.key, state={"d": 1}, now=NOON + HOUR)
    assert again.id != session.id
    assert again.state == {"d": 1, "user:b": 2}
    found = read(store, again, now=NOON + HOUR)
    assert (found, found.create_time) == (again, NOON + HOUR)
    assert store.get_state_at(again.key, 9, now=NOON + HOUR) == again.scoped_state
