"""Typed errors: each carries its facts, names the field or path, and says what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from statecore.core.ids import SessionKey


class StatecoreError(Exception):
    """Every error that this package raises on purpose."""


class InvalidInputError(StatecoreError, ValueError):
    """Input that breaks a rule. ``path`` names the field (``events[3].timestamp``), ``reason`` the rule."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason


class InvalidIdError(InvalidInputError):
    """An app name, user id, session id or event id that breaks the id rules."""


class NotJsonError(InvalidInputError):
    """A value or a text that JSON (or PostgreSQL) cannot hold: NaN, U+0000, lone surrogates, a Python object."""


class TooLargeError(InvalidInputError):
    """A body, value, depth, number or count over its limit (HTTP: 413 for sizes, 400 for the rest)."""


class SchemaError(InvalidInputError):
    """A state value that the declared schema refuses."""


class MissingStateKeyError(InvalidInputError):
    """An instruction names a state key that is not there. ``key`` is the name as written."""

    def __init__(self, key: str) -> None:
        super().__init__(key, f"state has no key {key!r}; set it, or write {{{key}?}} where it may be missing")
        self.key = key


class SessionNotFoundError(StatecoreError, LookupError):
    """No live session has this key: unknown, another user's, expired or deleted look the same."""

    def __init__(self, key: SessionKey) -> None:
        super().__init__(f"session not found: {key}; check app, user and id, or create it")
        self.key = key


class SessionExistsError(StatecoreError):
    """The session id is taken for this app and user; nothing was changed."""

    def __init__(self, key: SessionKey) -> None:
        super().__init__(f"session already exists: {key}; choose another id or read the existing one")
        self.key = key


class EventExistsError(StatecoreError):
    """The event id is known in this session with another body; nothing was changed."""

    def __init__(self, key: SessionKey, event_id: str, *, seq: int) -> None:
        super().__init__(f"{key}: event id {event_id!r} is stored at #{seq} with another body; use a new id")
        self.key = key
        self.event_id = event_id
        self.seq = seq


class StaleSessionError(StatecoreError):
    """The caller's revision is not the stored one; nothing was written."""

    def __init__(self, key: SessionKey, *, expected: int, found: int) -> None:
        super().__init__(f"{key}: expected revision {expected}, found {found}; reload and retry")
        self.key = key
        self.expected = expected
        self.found = found


class AccessDeniedError(StatecoreError):
    """The actor lacks a right. Without any grant in the app, callers answer as for an unknown thing instead."""

    def __init__(self, *, actor: str, right: str, app_name: str) -> None:
        super().__init__(f"{actor} lacks the right {right!r} in app {app_name!r}; ask someone who may manage it")
        self.actor = actor
        self.right = right
        self.app_name = app_name


class UnknownShapeError(InvalidInputError):
    """A file or record that is not a session; ``reason`` says what it is and what is accepted."""


class SchemaVersionError(StatecoreError):
    """The database's schema is not the one that this code knows."""
