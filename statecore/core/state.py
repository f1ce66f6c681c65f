"""The state view that an agent works with: reads see its own writes, and the delta is what it changed."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class State:
    """Current values with a pending delta over them; keys carry their prefix.

    The delta also has every list or dict that was read and then changed in place. There is no deletion, as in ADK:
    removing a key is an operator's act.
    """

    def __init__(self, value: Mapping[str, Any], delta: Mapping[str, Any] | None = None) -> None:
        self._value = dict(value)
        self._delta = dict(delta or {})
        self._handed_out: dict[str, tuple[Any, Any]] = {}  # key: (what was handed out, a copy from then)

    def __getitem__(self, key: str) -> Any:
        if key in self._delta:
            return self._delta[key]
        value = self._value[key]
        if isinstance(value, list | dict) and key not in self._handed_out:
            self._handed_out[key] = (value, copy.deepcopy(value))
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self._delta[key] = value
        self._handed_out.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self._delta or key in self._value

    def __iter__(self) -> Iterator[str]:
        return iter({**self._value, **self._delta})

    def __len__(self) -> int:
        return len(self._value.keys() | self._delta.keys())

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of ``key``, or ``default`` if it is absent; null is a value."""
        try:
            return self[key]
        except KeyError:
            return default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of ``key``; if it is absent, set it to ``default`` first."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, values: Mapping[str, Any]) -> None:
        """Set several keys."""
        for key, value in values.items():
            self[key] = value

    def to_dict(self) -> dict[str, Any]:
        """Return current values and delta merged; a new dict, read like any value: changes inside are noticed."""
        return {key: self[key] for key in self}

    def has_delta(self) -> bool:
        """Whether anything was set, or changed in place."""
        return bool(self.delta)

    @property
    def delta(self) -> dict[str, Any]:
        """What was set, and what was changed in place since it was read; a new dict."""
        for key, (value, before) in self._handed_out.items():
            # The texts tell what Python takes for equal and JSON does not: 1, 1.0 and True.
            if value != before or repr(value) != repr(before):
                self._delta[key] = value
        return dict(self._delta)
