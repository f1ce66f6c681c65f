"""Scopes: a key's prefix decides once where its value lives.

``app:`` is shared by all users of an app, ``user:`` by all sessions of a user, no prefix belongs to one
session, ``temp:`` is never stored. Only the first prefix counts, in exactly this spelling: ``app:temp:x``
is app scope with the name ``temp:x``; ``APP:z``, ``other:x`` and the empty key are session scope.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from statecore.core.errors import TooLargeError
from statecore.core.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Scope(StrEnum):
    """Where a key lives."""

    APP = "app"
    USER = "user"
    SESSION = "session"
    TEMP = "temp"

    @property
    def prefix(self) -> str:
        """The prefix of this scope's keys, ``""`` for the session."""
        return "" if self is Scope.SESSION else f"{self.value}:"


_SCOPES = {"app": Scope.APP, "user": Scope.USER, "temp": Scope.TEMP}


def parse_key(key: str) -> tuple[Scope, str]:
    """Return the scope of ``key`` and its name there. Nobody else looks at prefixes."""
    prefix, colon, name = key.partition(":")
    scope = _SCOPES.get(prefix) if colon else None
    return (Scope.SESSION, key) if scope is None else (scope, name)


def check_keys(keys: Iterable[str], *, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
    """Raise TooLargeError naming the path of the first key that has more bytes than an index can hold."""
    for key in keys:
        if len(key) * 4 > limits.key_length and len(key.encode()) > limits.key_length:
            raise TooLargeError(f"{path}.{key[:40]}...", f"is longer than {limits.key_length} bytes")


def format_key(scope: Scope, name: str) -> str:
    """Return the key that :func:`parse_key` takes apart into ``scope`` and ``name``.

    The inverse holds for every key; a session name that looks prefixed cannot exist.
    """
    return f"{scope.prefix}{name}"


def has_misleading_prefix(key: str) -> bool:
    """Whether a stored key's name starts with another prefix (``app:temp:x``): legal, and worth a warning."""
    scope, name = parse_key(key)
    return scope in (Scope.APP, Scope.USER) and parse_key(name)[0] is not Scope.SESSION


@dataclass(frozen=True, slots=True)
class ScopedState:
    """State by scope, names without prefix."""

    app: Mapping[str, Any] = field(default_factory=dict)
    user: Mapping[str, Any] = field(default_factory=dict)
    session: Mapping[str, Any] = field(default_factory=dict)
    temp: Mapping[str, Any] = field(default_factory=dict)

    def of(self, scope: Scope) -> Mapping[str, Any]:
        """Return the part of one scope."""
        parts = {
            Scope.APP: self.app,
            Scope.USER: self.user,
            Scope.SESSION: self.session,
            Scope.TEMP: self.temp,
        }
        return parts[scope]


def split_state(state: Mapping[str, Any]) -> ScopedState:
    """Sort prefixed keys into their scopes, order kept, values untouched."""
    parts: dict[Scope, dict[str, Any]] = {scope: {} for scope in Scope}
    for key, value in state.items():
        scope, name = parse_key(key)
        parts[scope][name] = value
    return ScopedState(parts[Scope.APP], parts[Scope.USER], parts[Scope.SESSION], parts[Scope.TEMP])


def merge_state(scoped: ScopedState) -> dict[str, Any]:
    """Return one dict with prefixed keys: the inverse of :func:`split_state` (order: session, user, app, temp)."""
    merged: dict[str, Any] = dict(scoped.session)
    for scope in (Scope.USER, Scope.APP, Scope.TEMP):
        merged.update({format_key(scope, name): value for name, value in scoped.of(scope).items()})
    return merged
