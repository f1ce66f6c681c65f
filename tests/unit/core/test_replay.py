from __future__ import annotations

from typing import Any

from hypothesis import given

from statecore.core.delta import REMOVED, Change, ChangeKind, StateDelta, apply_delta
from statecore.core.jsontext import json_equal
from statecore.core.replay import correction, replay, state_at
from tests.strategies import histories, states

HISTORY = [
    Change("cart", [], 0, ChangeKind.BASELINE),
    Change("step", 1, 1),
    Change("cart", ["tea"], 2),
    Change("note", None, 2),
    Change("step", REMOVED, 3),
    Change("step", 9, 3, ChangeKind.IMPORT_CORRECTION),
]


def test_state_is_the_fold_of_its_changes() -> None:
    assert replay(HISTORY) == {"cart": ["tea"], "note": None, "step": 9}


def test_state_of_no_changes_is_empty() -> None:
    assert replay([]) == {}


def test_state_at_a_moment_is_what_had_happened_until_then() -> None:
    assert [state_at(HISTORY, seq) for seq in range(4)] == [
        {"cart": []},
        {"cart": [], "step": 1},
        {"cart": ["tea"], "step": 1, "note": None},
        {"cart": ["tea"], "note": None, "step": 9},
    ]


def test_removing_a_key_that_is_not_there_changes_nothing() -> None:
    assert replay([Change("a", REMOVED, 1), Change("b", 1, 2)]) == {"b": 1}


@given(histories())
def test_state_at_the_last_event_is_the_state(history: list[Change]) -> None:
    last = history[-1].seq if history else 0
    assert json_equal(state_at(history, last), replay(history))


@given(histories())
def test_each_moment_follows_from_the_one_before(history: list[Change]) -> None:
    state: dict[str, Any] = {}
    for seq in range(max((change.seq for change in history), default=0) + 1):
        for change in history:
            if change.seq == seq:
                removed = (change.key,) if change.is_removal else ()
                state = apply_delta(state, StateDelta({} if removed else {change.key: change.value}, removed))
        assert json_equal(state_at(history, seq), state)


def test_correction_sets_what_differs_and_removes_what_is_gone() -> None:
    folded = {"a": 1, "b": [1], "c": None, "d": 4}
    final = {"a": 1, "b": [2], "e": None, "c": None}
    assert correction(folded, final) == StateDelta({"b": [2], "e": None}, ("d",))


def test_correction_notices_what_python_takes_for_equal() -> None:
    assert correction({"a": 1, "b": [0], "c": 0.0}, {"a": True, "b": [0.0], "c": -0.0}).values.keys() == {"a", "b", "c"}


@given(states())
def test_equal_states_need_no_correction(state: dict[str, Any]) -> None:
    assert not correction(state, dict(reversed(state.items())))


@given(histories(), states())
def test_corrected_history_gives_the_final_state(history: list[Change], final: dict[str, Any]) -> None:
    last = history[-1].seq if history else 0
    delta = correction(replay(history), final)
    corrections = [Change(key, value, last, ChangeKind.IMPORT_CORRECTION) for key, value in delta.items()]
    assert json_equal(state_at([*history, *corrections], last), final)
