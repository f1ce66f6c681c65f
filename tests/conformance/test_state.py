from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statecore.core.delta import StateDelta, apply_delta
from statecore.core.ids import OwnerKey
from statecore.core.jsontext import json_equal
from statecore.core.scopes import ScopedState, merge_state
from tests.builders import append, create, make_event, make_key, read
from tests.strategies import deltas, states

if TYPE_CHECKING:
    from statecore.service.port import SessionStore


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("app:temp:x", ScopedState(app={"temp:x": 1})),
        ("user:app:y", ScopedState(user={"app:y": 1})),
        ("APP:z", ScopedState(session={"APP:z": 1})),
        ("other:x", ScopedState(session={"other:x": 1})),
        ("", ScopedState(session={"": 1})),
        (":", ScopedState(session={":": 1})),
        ("app:", ScopedState(app={"": 1})),
        ("user:", ScopedState(user={"": 1})),
        ("temp:", ScopedState()),
        ("temp:app:x", ScopedState()),
        ("temporary", ScopedState(session={"temporary": 1})),
    ],
)
def test_first_prefix_of_a_key_decides_its_scope(store: SessionStore, key: str, expected: ScopedState) -> None:
    by_baseline, by_event = create(store, state={key: 1}), create(store)
    append(store, by_event, make_event(delta={key: 1}))
    assert read(store, by_baseline).scoped_state == expected
    assert read(store, by_event).scoped_state == expected


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
def test_delta_replaces_whole_values(store: SessionStore, prefix: str) -> None:
    session = create(store, state={f"{prefix}cart": {"tea": 1, "box": {"n": 1}}, f"{prefix}kept": [1]})
    append(store, session, make_event(delta={f"{prefix}cart": {"box": {}}}))
    assert read(store, session).state == {f"{prefix}cart": {"box": {}}, f"{prefix}kept": [1]}


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
def test_null_is_a_value_and_a_removal_is_not(store: SessionStore, prefix: str) -> None:
    session = create(store, state={f"{prefix}a": 1, f"{prefix}b": 1})
    append(store, session, make_event(delta={f"{prefix}a": None}, removes=(f"{prefix}b",)))
    assert read(store, session).state == {f"{prefix}a": None}


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
def test_removed_key_can_be_set_again(store: SessionStore, prefix: str) -> None:
    session = create(store, state={f"{prefix}a": 1})
    append(store, session, make_event(removes=(f"{prefix}a",)), make_event(delta={f"{prefix}a": 2}))
    assert read(store, session).state == {f"{prefix}a": 2}


def test_removing_an_absent_key_changes_no_state(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    append(store, session, make_event(removes=("b", "user:b", "app:b")))
    assert read(store, session).state == {"a": 1}


def test_temp_keys_of_an_event_are_not_stored(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(delta={"temp:draft": 1, "step": 2}))
    found = read(store, session)
    assert found.state == {"step": 2}
    assert "draft" not in found.events[0].payload_json


def test_shared_values_are_read_live(store: SessionStore) -> None:
    first = create(store)
    same_user = create(store, make_key(app_name=first.key.app_name, session_id="other"))
    other_user = create(store, make_key(app_name=first.key.app_name, user_id="bob"))
    other_app = create(store)
    append(store, first, make_event(delta={"a": 1, "user:b": 2, "app:c": 3}))
    assert read(store, first).state == {"a": 1, "user:b": 2, "app:c": 3}
    assert read(store, same_user).state == {"user:b": 2, "app:c": 3}
    assert read(store, other_user).state == {"app:c": 3}
    assert read(store, other_app).state == {}


def test_newest_writer_of_a_shared_key_wins(store: SessionStore) -> None:
    first = create(store)
    second = create(store, make_key(app_name=first.key.app_name, session_id="other"))
    append(store, first, make_event(delta={"app:n": 1, "user:n": 1}, timestamp=9e12))
    append(store, second, make_event(delta={"app:n": 2}, removes=("user:n",), timestamp=-1.0))
    assert read(store, first).state == read(store, second).state == {"app:n": 2}


def test_same_name_in_each_scope_is_three_keys(store: SessionStore) -> None:
    session = create(store, state={"x": 0})
    append(store, session, make_event(delta={"x": 1, "user:x": 2, "app:x": 3}), make_event(removes=("user:x",)))
    assert read(store, session).scoped_state == ScopedState(app={"x": 3}, session={"x": 1})


@pytest.mark.parametrize("count", [1, 16, 17, 600])
def test_one_event_may_write_many_keys(store: SessionStore, count: int) -> None:
    session = create(store, state={f"old{n}": n for n in range(count)})
    delta = {f"{prefix}k{n}": [n] for prefix in ("", "user:", "app:") for n in range(count)}
    append(store, session, make_event(delta=delta, removes=tuple(f"old{n}" for n in range(count))))
    append(store, session, make_event(delta={"user:k0": None}, removes=("k0", "app:k0")))
    expected = {**delta, "user:k0": None}
    del expected["k0"], expected["app:k0"]
    assert read(store, session).state == expected


@settings(max_examples=30)
@given(states(), st.lists(deltas(), max_size=5))
def test_state_is_the_fold_of_its_baseline_and_deltas(
    store: SessionStore, baseline: dict[str, Any], steps: list[StateDelta]
) -> None:
    session = create(store, state=baseline)
    folds: list[dict[str, Any]] = [without_temp(baseline)]
    for step in steps:
        append(store, session, make_event(delta=step.values, removes=step.without_temp().removed))
        folds.append(without_temp(apply_delta(folds[-1], step)))
    assert json_equal(read(store, session).state, folds[-1])
    for seq, fold in enumerate(folds):
        at = store.get_state_at(session.key, seq)
        assert at is not None
        assert json_equal(merge_state(at), fold)
    for owner in (OwnerKey(session.key.app_name), OwnerKey(session.key.app_name, session.key.user_id)):
        scoped = read(store, session).scoped_state
        expected = scoped.user if owner.user_id else scoped.app
        assert json_equal(store.get_owner_state(owner).state, expected)


def without_temp(state: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if not key.startswith("temp:")}
