from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from statecore.core.errors import SessionExistsError
from statecore.core.ids import OwnerKey
from statecore.core.scopes import ScopedState
from statecore.core.sessions import Origin
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_new_session_is_at_revision_0_without_events(store: SessionStore) -> None:
    session = create(store, state={"cart": ["tea"]})
    assert (session.revision, session.events, session.error_count, session.edit_count) == (0, (), 0, 0)
    assert session.origin is Origin.CREATED
    assert session.hold_until is None


def test_created_session_is_the_one_that_is_read(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2, "app:c": 3}, display_name="Tea", labels={"team": "blå"})
    assert read(store, session) == session
    assert (session.display_name, session.labels) == ("Tea", {"team": "blå"})


def test_baseline_is_split_by_scope(store: SessionStore) -> None:
    session = create(store, state={"cart": 1, "user:lang": "nb", "app:motd": "hi"})
    assert session.scoped_state == ScopedState(app={"motd": "hi"}, user={"lang": "nb"}, session={"cart": 1})
    assert session.state == {"cart": 1, "user:lang": "nb", "app:motd": "hi"}


def test_shared_keys_of_a_baseline_become_those_of_app_and_user(store: SessionStore) -> None:
    key = create(store, state={"cart": 1, "user:lang": "nb", "app:motd": "hi"}).key
    assert store.get_owner_state(OwnerKey(key.app_name, key.user_id)).state == {"lang": "nb"}
    assert store.get_owner_state(OwnerKey(key.app_name)).state == {"motd": "hi"}


def test_baseline_overwrites_shared_keys_that_are_there(store: SessionStore) -> None:
    first = create(store, state={"app:motd": "hi", "app:kept": 1})
    create(store, make_key(app_name=first.key.app_name, session_id="other"), state={"app:motd": None})
    assert read(store, first).state == {"app:motd": None, "app:kept": 1}


def test_temp_keys_of_a_baseline_are_not_stored(store: SessionStore) -> None:
    session = create(store, state={"temp:draft": 1, "cart": 2})
    assert session.state == read(store, session).state == {"cart": 2}


def test_taken_key_is_refused_and_nothing_is_overwritten(store: SessionStore) -> None:
    session = create(store, state={"cart": 1, "app:motd": "hi"})
    append(store, session)
    with pytest.raises(SessionExistsError) as caught:
        create(store, session.key, state={"cart": 2, "app:motd": "new"}, display_name="new")
    assert caught.value.key == session.key
    found = read(store, session)
    assert (found.id, found.revision, found.display_name) == (session.id, 1, "")
    assert found.state == {"cart": 1, "app:motd": "hi"}


def test_ids_are_taken_in_one_app_and_user_only(store: SessionStore) -> None:
    key = make_key()
    others = [make_key(app_name=key.app_name, user_id="bob"), make_key(user_id=key.user_id)]
    sessions = [create(store, each, state={"of": each.user_id}) for each in [key, *others]]
    assert len({session.id for session in sessions}) == 3
    append(store, key, make_event(delta={"seen": True}))
    assert [read(store, each).state.get("seen") for each in [key, *others]] == [True, None, None]


def test_sessions_of_one_user_share_their_owners(store: SessionStore) -> None:
    key = make_key()
    first, second = create(store, key), create(store, make_key(app_name=key.app_name, session_id="other"))
    other_user = create(store, make_key(app_name=key.app_name, user_id="bob"))
    assert first.user_owner_id == second.user_owner_id != other_user.user_owner_id
    assert first.app_owner_id == second.app_owner_id == other_user.app_owner_id


def test_times_of_a_new_session_are_the_given_now(store: SessionStore) -> None:
    session = create(store, now=NOON)
    assert session.create_time == session.receive_time == NOON
    assert session.update_time == NOON.timestamp()


def test_times_of_a_new_session_are_of_the_clock_without_one(store: SessionStore) -> None:
    session = create(store)
    assert abs(session.create_time - datetime.now(UTC)) < timedelta(minutes=5)
    assert session.create_time.utcoffset() == timedelta(0)


def test_import_keeps_its_times_and_is_received_now(store: SessionStore) -> None:
    made = datetime(1999, 1, 2, tzinfo=UTC)
    session = create(store, origin=Origin.IMPORTED, create_time=made, update_time=-1.5, now=NOON)
    assert (session.origin, session.create_time, session.update_time) == (Origin.IMPORTED, made, -1.5)
    assert session.receive_time == NOON
