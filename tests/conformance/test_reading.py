from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from statecore.core.ids import OwnerKey
from tests.builders import START, append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.core.sessions import Session
    from statecore.service.port import SessionStore


def seqs(session: Session) -> list[int]:
    return [event.seq for event in session.events]


def test_missing_session_is_none(store: SessionStore) -> None:
    assert store.get_session(make_key()) is None


def test_session_of_another_user_or_app_is_missing(store: SessionStore) -> None:
    key = create(store).key
    assert store.get_session(make_key(app_name=key.app_name, user_id="bob")) is None
    assert store.get_session(make_key(user_id=key.user_id)) is None
    assert store.get_session(make_key(app_name=key.app_name, session_id="trip2")) is None


def test_events_come_oldest_first(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(event_id="b"), make_event(event_id="a"), make_event(event_id="c"))
    found = read(store, session)
    assert [(event.seq, event.event_id) for event in found.events] == [(1, "b"), (2, "a"), (3, "c")]
    assert found.revision == 3


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, []), (1, [4]), (3, [2, 3, 4]), *((count, [1, 2, 3, 4]) for count in (4, 9, 2**31, 2**63, 2**70))],
)
def test_recent_events_are_the_newest_oldest_first(store: SessionStore, count: int, expected: list[int]) -> None:
    session = create(store)
    append(store, session, *(make_event() for _ in range(4)))
    found = read(store, session, num_recent_events=count)
    assert seqs(found) == expected
    assert found.revision == 4


def test_events_after_a_time_include_that_time_and_keep_their_order(store: SessionStore) -> None:
    session = create(store)
    append(store, session, *(make_event(timestamp=START + offset) for offset in (5, 1, 3, 2.999999, 4)))
    assert seqs(read(store, session, after_timestamp=START + 3)) == [1, 3, 5]


def test_recent_events_and_a_time_combine(store: SessionStore) -> None:
    session = create(store)
    append(store, session, *(make_event(timestamp=START + offset) for offset in (5, 1, 3, 2, 4)))
    assert seqs(read(store, session, num_recent_events=2, after_timestamp=START + 3)) == [3, 5]
    assert seqs(read(store, session, num_recent_events=9, after_timestamp=START + 3)) == [1, 3, 5]
    assert seqs(read(store, session, num_recent_events=0, after_timestamp=START)) == []


def test_window_of_events_changes_nothing_else(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    append(store, session, make_event(delta={"b": 2}))
    whole, bare = read(store, session), read(store, session, num_recent_events=0)
    assert (bare.state, bare.revision, bare.update_time) == (whole.state, whole.revision, whole.update_time)


def test_list_has_state_and_no_events(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2, "app:c": 3})
    append(store, session, make_event(delta={"a": None}))
    (listed,) = store.list_sessions(session.key.app_name)
    assert listed == read(store, session, num_recent_events=0)


def test_list_of_an_app_has_all_its_users_and_no_other_app(store: SessionStore) -> None:
    app_name = make_key().app_name
    keys = [make_key(app_name=app_name, user_id=user_id) for user_id in ("bob", "ana")]
    for key in [*keys, make_key(user_id="ana")]:
        create(store, key)
    assert {session.key for session in store.list_sessions(app_name)} == set(keys)
    assert [session.key for session in store.list_sessions(app_name, "ana")] == [keys[1]]
    assert store.list_sessions(app_name, "eve") == []
    assert store.list_sessions(app_name, "") == []
    assert store.list_sessions(make_key().app_name) == []


def test_list_is_ordered_by_update_time_then_user_then_id(store: SessionStore) -> None:
    app_name = make_key().app_name
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for user_id, session_id, hours in [("b", "1", 1), ("a", "2", 1), ("a", "10", 1), ("c", "1", 0), ("B", "1", 1)]:
        key = make_key(app_name=app_name, user_id=user_id, session_id=session_id)
        create(store, key, now=start + timedelta(hours=hours))
    late = make_key(app_name=app_name, user_id="a", session_id="late")
    create(store, late, now=start)
    append(store, late, make_event(timestamp=START), now=start)
    listed = [(session.key.user_id, session.key.session_id) for session in store.list_sessions(app_name, now=start)]
    assert listed == [("c", "1"), ("B", "1"), ("a", "10"), ("a", "2"), ("b", "1"), ("a", "late")]


def test_list_shows_each_user_their_own_state(store: SessionStore) -> None:
    app_name = make_key().app_name
    for user_id in ("ana", "bob"):
        create(store, make_key(app_name=app_name, user_id=user_id), state={"user:name": user_id, "app:last": user_id})
    assert {session.key.user_id: session.state for session in store.list_sessions(app_name)} == {
        "ana": {"user:name": "ana", "app:last": "bob"},
        "bob": {"user:name": "bob", "app:last": "bob"},
    }


def test_what_was_handed_in_may_change_afterwards(store: SessionStore) -> None:
    state = {"cart": ["tea"], "user:cart": ["tea"]}
    labels = {"team": "blue"}
    session = create(store, state=state, labels=labels)
    delta = {"basket": ["milk"]}
    event = make_event(delta=delta)
    append(store, session, event)
    expected = copy.deepcopy({**state, **delta})
    for value in (state["cart"], state["user:cart"], delta["basket"], event.delta.values["basket"]):
        value.append("changed")
    labels["team"] = "red"
    found = read(store, session)
    assert found.state == expected
    assert found.labels == {"team": "blue"}


def test_what_was_handed_out_may_change_afterwards(store: SessionStore) -> None:
    session = create(store, state={"cart": ["tea"], "user:cart": ["tea"], "app:cart": ["tea"]}, labels={"team": "blue"})
    append(store, session, make_event(delta={"app:cart": ["milk"]}))
    owner = OwnerKey(session.key.app_name)

    def everything() -> list[object]:
        at = store.get_state_at(session.key, 0)
        assert at is not None
        listed = store.list_sessions(session.key.app_name)[0]
        found = read(store, session)
        values: list[object] = [found.state[key] for key in found.state]
        values += [listed.state["cart"], at.session["cart"], at.app["cart"], found.labels, found.events[0].payload]
        values += [store.get_owner_state(owner).state["cart"], store.list_history(owner, "cart")[0].change.value]
        return values

    before = copy.deepcopy(everything())
    for value in everything():
        value.append("changed") if isinstance(value, list) else value.update(changed=1)  # type: ignore[attr-defined]
    assert everything() == before


def test_owner_without_anything_has_no_id_and_no_state(store: SessionStore) -> None:
    app = store.get_owner_state(OwnerKey(make_key().app_name))
    user = store.get_owner_state(OwnerKey(make_key().app_name, "ana"))
    assert (app.owner_id, app.state) == (user.owner_id, user.state) == (None, {})


def test_owner_state_is_read_without_a_session(store: SessionStore) -> None:
    session = create(store, state={"user:lang": "nb", "app:motd": "hi", "cart": 1})
    user = OwnerKey(session.key.app_name, session.key.user_id)
    found = store.get_owner_state(user)
    assert (found.owner, found.owner_id, found.state) == (user, session.user_owner_id, {"lang": "nb"})
    assert store.get_owner_state(OwnerKey(session.key.app_name)).owner_id == session.app_owner_id
