from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from statecore.core.delta import REMOVED, Change, ChangeKind, StateDelta
from statecore.core.errors import SessionNotFoundError
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore


def test_correction_sets_and_removes_keys_without_an_event(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "b": 1, "c": 1})
    append(store, session, make_event(delta={"b": 2}))
    store.correct_state(session.key, StateDelta({"a": None, "d": 4}, ("b", "never")))
    found = read(store, session)
    assert found.state == {"a": None, "c": 1, "d": 4}
    assert (found.revision, len(found.events)) == (1, 1)


def test_correction_is_a_change_at_the_newest_event(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    append(store, session, make_event(event_id="e1", delta={"a": 2}), make_event())
    store.correct_state(session.key, StateDelta({"a": 3}, ()))
    append(store, session, make_event(event_id="e3", delta={"a": 4}))
    history = store.list_history(session.key, "a")
    assert [entry.change for entry in history] == [
        Change("a", 4, 3),
        Change("a", 3, 2, ChangeKind.IMPORT_CORRECTION),
        Change("a", 2, 1),
        Change("a", 1, 0, ChangeKind.BASELINE),
    ]
    assert [entry.event_id for entry in history] == ["e3", None, "e1", None]


def test_correction_of_a_session_without_events_comes_after_the_baseline(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    store.correct_state(session.key, StateDelta({"b": 2}, ("a",)))
    assert read(store, session).state == {"b": 2}
    assert [entry.change for entry in store.list_history(session.key, "a")] == [
        Change("a", REMOVED, 0, ChangeKind.IMPORT_CORRECTION),
        Change("a", 1, 0, ChangeKind.BASELINE),
    ]


def test_second_correction_at_one_event_takes_the_place_of_the_first(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    store.correct_state(session.key, StateDelta({"a": 2, "b": 2}, ()))
    store.correct_state(session.key, StateDelta({"a": 3}, ()))
    assert read(store, session).state == {"a": 3, "b": 2}
    assert [entry.change.value for entry in store.list_history(session.key, "a")] == [3, 1]
    assert [entry.change.value for entry in store.list_history(session.key, "b")] == [2]


def test_correction_may_set_the_update_time_back(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(timestamp=90.5))
    late = read(store, session).update_time
    store.correct_state(session.key, StateDelta(), update_time=80.25)
    assert read(store, session).update_time == 80.25 < late
    store.correct_state(session.key, StateDelta({"a": 1}, ()))
    assert read(store, session).update_time == 80.25


def test_correction_reaches_shared_keys(store: SessionStore) -> None:
    session = create(store, state={"user:lang": "nb", "app:motd": "hi"})
    store.correct_state(session.key, StateDelta({"user:lang": "en"}, ("app:motd",)))
    assert read(store, session).state == {"user:lang": "en"}


def test_correction_of_a_shared_key_leaves_that_of_a_session_key_of_its_name(store: SessionStore) -> None:
    session = create(store)
    store.correct_state(session.key, StateDelta({"a": 1}, ()))
    store.correct_state(session.key, StateDelta({"user:a": 2}, ("app:a",)))
    assert [entry.change.value for entry in store.list_history(session.key, "a")] == [1]
    at = store.get_state_at(session.key, 0)
    assert at is not None
    assert at.session == read(store, session).scoped_state.session == {"a": 1}


def test_correction_of_a_missing_session_is_refused(store: SessionStore) -> None:
    key = create(store).key
    with pytest.raises(SessionNotFoundError):
        store.correct_state(make_key(app_name=key.app_name, user_id="bob"), StateDelta({"a": 1}, ()))
