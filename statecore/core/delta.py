"""Deltas: what one event sets and removes. Whole top-level values, no deep merge; null is a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from statecore.core.errors import InvalidInputError
from statecore.core.scopes import Scope, parse_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Removed(IntEnum):
    """The type of :data:`REMOVED`; an enum so that it is one object, copyable and typed."""

    REMOVED = 0

    def __repr__(self) -> str:
        return "REMOVED"


REMOVED: Final = Removed.REMOVED
"""Stands where a value would, and says that the key was removed. Never stored as JSON."""


class ChangeKind(IntEnum):
    """What made a change (stored as a number in ``statecore_state_change.kind``)."""

    EVENT = 0
    BASELINE = 1
    IMPORT_CORRECTION = 2
    OUTSIDE = 3  # an operator's change from a user or app page, recorded by an audit record


@dataclass(frozen=True, slots=True)
class Change:
    """One key written or removed. ``seq`` is 0 for the baseline, the last event's for an import correction."""

    key: str
    value: Any  # JSON value, or REMOVED
    seq: int
    kind: ChangeKind = ChangeKind.EVENT

    @property
    def is_removal(self) -> bool:
        """Whether this change removed the key."""
        return self.value is REMOVED


@dataclass(frozen=True, slots=True)
class StateDelta:
    """What an event does to state: prefixed keys set to values, and prefixed keys removed.

    A key is in one of the two, never in both (:func:`make_delta` checks).
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.values or self.removed)

    def __len__(self) -> int:
        return len(self.values) + len(self.removed)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield ``(key, value or REMOVED)``, sets first, in their order."""
        yield from self.values.items()
        for key in self.removed:
            yield key, REMOVED

    def without_temp(self) -> StateDelta:
        """Return the delta without ``temp:`` keys: what may be stored."""
        return StateDelta(
            {key: value for key, value in self.values.items() if parse_key(key)[0] is not Scope.TEMP},
            tuple(key for key in self.removed if parse_key(key)[0] is not Scope.TEMP),
        )


def make_delta(values: Mapping[str, Any], removed: tuple[str, ...] = ()) -> StateDelta:
    """Return a delta; raise :class:`InvalidInputError` if a key is both set and removed, or removed twice."""
    seen: set[str] = set()
    for key in removed:
        if key in values:
            raise InvalidInputError(key, "is both set and removed by one event; do one of the two")
        if key in seen:
            raise InvalidInputError(key, "is removed twice by one event; name it once")
        seen.add(key)
    return StateDelta(values, removed)


def apply_delta(state: Mapping[str, Any], delta: StateDelta) -> dict[str, Any]:
    """Return a new state (prefixed keys) with ``delta`` applied. Removing an absent key changes nothing."""
    result = dict(state)
    for key, value in delta.items():
        if value is REMOVED:
            result.pop(key, None)
        else:
            result[key] = value
    return result


def invert_delta(state: Mapping[str, Any], delta: StateDelta) -> StateDelta:
    """Return the delta that brings ``apply_delta(state, delta)`` back to ``state``."""
    keys = [key for key, _ in delta.items()]
    return StateDelta(
        {key: state[key] for key in keys if key in state},
        tuple(key for key, value in delta.items() if key not in state and value is not REMOVED),
    )
