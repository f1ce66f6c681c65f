from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from statecore.core.delta import StateDelta, apply_delta
from statecore.core.jsontext import json_equal
from statecore.core.state import State
from tests.strategies import states


def test_state_reads_its_own_writes_before_what_was_stored() -> None:
    state = State({"step": 1, "user:lang": "nb"}, {"step": 2})
    state["cart"] = []
    assert (state["step"], state["user:lang"], state["cart"]) == (2, "nb", [])
    assert state.delta == {"step": 2, "cart": []}


def test_state_without_a_key_raises_key_error() -> None:
    with pytest.raises(KeyError, match="cart"):
        State({})["cart"]


def test_state_tells_null_from_absent() -> None:
    state = State({"a": None}, {"b": None})
    assert "a" in state
    assert "b" in state
    assert "c" not in state
    assert 5 not in state
    assert (state.get("a", 1), state.get("b", 1), state.get("c", 1), state.get("c")) == (None, None, 1, None)


def test_setdefault_writes_only_what_is_absent() -> None:
    state = State({"a": None})
    assert state.setdefault("a", 1) is None
    assert state.setdefault("b", 2) == 2
    assert state.setdefault("c") is None
    assert state.delta == {"b": 2, "c": None}


def test_list_that_setdefault_made_may_be_filled() -> None:
    state = State({})
    state.setdefault("cart", []).append("tea")
    assert state.delta == {"cart": ["tea"]}


def test_update_sets_several_keys() -> None:
    state = State({"a": 1})
    state.update({"a": 2, "app:b": 3})
    assert state.delta == {"a": 2, "app:b": 3}


def test_state_iterates_over_each_key_once() -> None:
    state = State({"a": 1, "b": 2}, {"b": 3, "c": 4})
    assert list(state) == ["a", "b", "c"]
    assert len(state) == 3


def test_state_that_was_only_read_has_no_delta() -> None:
    state = State({"cart": ["tea"], "profile": {"age": 5}})
    assert state["cart"] == ["tea"]
    assert state.get("profile") == {"age": 5}
    assert state.to_dict() == {"cart": ["tea"], "profile": {"age": 5}}
    assert not state.has_delta()


@pytest.mark.parametrize(
    ("before", "after"), [(["tea"], ["tea", "milk"]), ([1], [True]), ([1], [1.0]), ([0.0], [-0.0]), ([[]], [[1]])]
)
def test_list_changed_in_place_is_in_the_delta(before: list[Any], after: list[Any]) -> None:
    state = State({"cart": before})
    state["cart"][:] = after
    assert state.has_delta()
    assert json_equal(state.delta, {"cart": after})
    assert json_equal(state.to_dict(), {"cart": after})


def test_change_deep_inside_a_dict_is_in_the_delta() -> None:
    state = State({"user:profile": {"tags": {"a": [1]}}, "other": {}})
    state.get("user:profile")["tags"]["a"].append(2)
    assert state.delta == {"user:profile": {"tags": {"a": [1, 2]}}}


def test_change_inside_what_to_dict_gave_is_in_the_delta() -> None:
    state = State({"cart": ["tea"]})
    state.to_dict()["cart"].append("milk")
    assert state.delta == {"cart": ["tea", "milk"]}


def test_change_after_the_delta_was_read_is_in_the_next_delta() -> None:
    state = State({"cart": ["tea"]})
    cart = state["cart"]
    assert state.delta == {}
    cart.append("milk")
    assert state.delta == {"cart": ["tea", "milk"]}


def test_value_changed_in_place_and_back_is_no_change() -> None:
    state = State({"cart": ["tea"]})
    state["cart"].append("milk")
    state["cart"].pop()
    assert not state.has_delta()


def test_value_set_after_a_change_in_place_wins() -> None:
    state = State({"cart": ["tea"]})
    old = state["cart"]
    old.append("milk")
    state["cart"] = ["water"]
    assert state.delta == {"cart": ["water"]}


def test_list_that_was_set_may_be_changed_afterwards() -> None:
    state = State({"cart": ["tea"]})
    state["cart"] = ["water"]
    state["cart"].append("ice")
    assert state.delta == {"cart": ["water", "ice"]}


def test_live_object_that_cannot_be_copied_may_be_held_for_an_invocation() -> None:
    state = State({})
    state["temp:clients"] = [generator := (number for number in [1])]
    assert state["temp:clients"] == [generator]


def test_keys_cannot_be_deleted() -> None:
    assert not hasattr(State, "__delitem__")
    assert not hasattr(State, "pop")


def test_returned_delta_is_the_callers_own() -> None:
    state = State({}, {"a": 1})
    state.delta["b"] = 2
    assert state.delta == {"a": 1}


@given(states(), states())
def test_state_is_what_its_delta_makes_of_the_stored_values(value: dict[str, Any], writes: dict[str, Any]) -> None:
    state = State(copy.deepcopy(value))
    state.update(writes)
    assert json_equal(state.to_dict(), apply_delta(value, StateDelta(state.delta)))
    assert json_equal(state.delta, writes)
    assert set(state) == value.keys() | writes.keys()
