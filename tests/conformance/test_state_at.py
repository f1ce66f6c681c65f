from __future__ import annotations

from typing import TYPE_CHECKING

from statecore.core.delta import StateDelta
from statecore.core.scopes import ScopedState
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore


def test_state_at_0_is_the_baseline(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2, "app:c": 3})
    append(store, session, make_event(delta={"a": 9, "user:b": 9, "app:c": 9, "d": 9}))
    at = store.get_state_at(session.key, 0)
    assert at == ScopedState(app={"c": 3}, user={"b": 2}, session={"a": 1})


def test_state_at_an_event_includes_it(store: SessionStore) -> None:
    session = create(store, state={"a": 0})
    append(
        store, session, make_event(delta={"a": 1, "b": 1}), make_event(removes=("a",)), make_event(delta={"a": None})
    )
    found = [store.get_state_at(session.key, seq) for seq in range(4)]
    states = [at.session if at else None for at in found]
    assert states == [{"a": 0}, {"a": 1, "b": 1}, {"b": 1}, {"a": None, "b": 1}]


def test_state_past_the_revision_is_the_current_one(store: SessionStore) -> None:
    session = create(store, state={"a": 0})
    append(store, session, make_event(delta={"a": 1}))
    other = create(store, make_key(app_name=session.key.app_name, user_id="bob"))
    append(store, other, make_event(delta={"app:b": 2}))
    for seq in (2, 3, 10_000, 2**31 - 1, 2**31, 2**63, 2**70):
        assert store.get_state_at(session.key, seq) == read(store, session).scoped_state
    assert store.get_state_at(session.key, 1) == ScopedState(session={"a": 1})


def test_shared_keys_are_as_of_the_time_of_the_event(store: SessionStore) -> None:
    session = create(store)
    other = create(store, make_key(app_name=session.key.app_name, session_id="other"))
    for step in range(3):
        append(store, other, make_event(delta={"app:n": step, "user:n": -step}))
        append(store, session, make_event())
    append(store, other, make_event(removes=("app:n",)))
    found = [store.get_state_at(session.key, seq) for seq in range(4)]
    assert found == [ScopedState(), *(ScopedState(app={"n": step}, user={"n": -step}) for step in range(3))]
    assert store.get_state_at(session.key, 4) == ScopedState(user={"n": -2})


def test_state_at_a_moment_knows_what_was_shared_before_the_session(store: SessionStore) -> None:
    first = create(store, state={"app:c": 1, "user:d": 1})
    second = create(store, make_key(app_name=first.key.app_name, session_id="other"), state={"a": 1})
    assert store.get_state_at(second.key, 0) == ScopedState(app={"c": 1}, user={"d": 1}, session={"a": 1})
    assert store.get_state_at(first.key, 0) == ScopedState(app={"c": 1}, user={"d": 1})


def test_state_at_an_event_includes_the_correction_after_it(store: SessionStore) -> None:
    session = create(store, state={"a": 0})
    append(store, session, make_event(delta={"a": 1}))
    store.correct_state(session.key, StateDelta({"a": 5}, ()))
    append(store, session, make_event(delta={"b": 2}))
    found = [store.get_state_at(session.key, seq) for seq in range(3)]
    assert [at.session if at else None for at in found] == [{"a": 0}, {"a": 5}, {"a": 5, "b": 2}]


def test_state_of_a_missing_session_is_none(store: SessionStore) -> None:
    key = create(store, state={"app:a": 1}).key
    for seq in (0, 1):
        assert store.get_state_at(make_key(), seq) is None
        assert store.get_state_at(make_key(app_name=key.app_name, user_id="bob"), seq) is None
