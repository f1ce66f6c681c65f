from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from statecore.core.delta import REMOVED, Change, StateDelta, apply_delta, invert_delta, make_delta
from statecore.core.errors import InvalidInputError
from statecore.core.jsontext import json_equal
from tests.strategies import deltas, states


def test_delta_replaces_whole_values_and_keeps_null() -> None:
    state = {"cart": {"tea": 1}, "step": 1}
    assert apply_delta(state, StateDelta({"cart": {"milk": 2}, "step": None})) == {"cart": {"milk": 2}, "step": None}


def test_delta_removes_keys_of_every_scope() -> None:
    state = {"cart": 1, "user:lang": "nb", "app:motd": "hi", "step": 2}
    assert apply_delta(state, StateDelta({}, ("cart", "user:lang", "app:motd"))) == {"step": 2}


def test_removing_an_absent_key_changes_nothing() -> None:
    assert apply_delta({"step": 1}, StateDelta({}, ("cart",))) == {"step": 1}


@given(states(), deltas())
def test_delta_applied_leaves_the_state_it_was_given(state: dict[str, Any], delta: StateDelta) -> None:
    before = copy.deepcopy(state)
    apply_delta(state, delta)
    assert json_equal(state, before)


@given(states(), deltas())
def test_delta_applied_and_inverted_gives_the_state_before(state: dict[str, Any], delta: StateDelta) -> None:
    after = apply_delta(state, delta)
    assert json_equal(apply_delta(after, invert_delta(state, delta)), state)


@given(states(), deltas())
def test_delta_decides_about_every_key_it_names(state: dict[str, Any], delta: StateDelta) -> None:
    after = apply_delta(state, delta)
    for key, value in delta.items():
        assert key not in after if value is REMOVED else json_equal(after[key], value)


def test_inverse_names_no_key_that_did_not_change() -> None:
    assert invert_delta({"a": 1}, StateDelta({"b": 2}, ("a", "c"))) == StateDelta({"a": 1}, ("b",))


def test_delta_lists_sets_before_removals() -> None:
    delta = StateDelta({"b": 1, "a": None}, ("c",))
    assert list(delta.items()) == [("b", 1), ("a", None), ("c", REMOVED)]
    assert len(delta) == 3


def test_delta_without_keys_is_false() -> None:
    assert not StateDelta()
    assert StateDelta({"a": None})
    assert StateDelta({}, ("a",))


def test_delta_to_be_stored_has_no_temp_keys() -> None:
    delta = StateDelta({"temp:a": 1, "app:temp:b": 2, "c": 3}, ("temp:d", "user:e"))
    assert delta.without_temp() == StateDelta({"app:temp:b": 2, "c": 3}, ("user:e",))


def test_made_delta_holds_what_it_was_given() -> None:
    assert make_delta({"a": 1}, ("b", "c")) == StateDelta({"a": 1}, ("b", "c"))


@pytest.mark.parametrize(
    ("removed", "reason"), [(("a",), "both set and removed"), (("b", "c", "b"), "removed twice by one event")]
)
def test_delta_that_says_two_things_about_a_key_is_refused(removed: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InvalidInputError, match=reason) as caught:
        make_delta({"a": 1}, removed)
    assert caught.value.path == removed[-1]


def test_removal_differs_from_null() -> None:
    assert Change("a", REMOVED, 1).is_removal
    assert not Change("a", None, 1).is_removal
    assert not Change("a", 0, 1).is_removal


def test_removed_is_one_object_however_it_is_copied() -> None:
    assert copy.deepcopy([REMOVED])[0] is REMOVED
    assert repr(REMOVED) == "REMOVED"
