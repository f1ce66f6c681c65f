"""Replay: state is the fold of its changes, so any moment of a session can be computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from statecore.core.delta import REMOVED, Change, StateDelta
from statecore.core.jsontext import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def replay(changes: Iterable[Change]) -> dict[str, Any]:
    """Fold changes in their order: baseline, events, corrections. Returns prefixed keys and current values."""
    state: dict[str, Any] = {}
    for change in changes:
        if change.value is REMOVED:
            state.pop(change.key, None)
        else:
            state[change.key] = change.value
    return state


def state_at(changes: Iterable[Change], seq: int) -> dict[str, Any]:
    """Fold what happened up to and with event ``seq`` (0: the baseline); a correction counts with its event."""
    return replay(change for change in changes if change.seq <= seq)


def correction(folded: Mapping[str, Any], final: Mapping[str, Any]) -> StateDelta:
    """Return what has to be set and removed to come from ``folded`` to ``final``; empty if they are equal."""
    return StateDelta(
        {key: value for key, value in final.items() if key not in folded or not json_equal(folded[key], value)},
        tuple(key for key in folded if key not in final),
    )
