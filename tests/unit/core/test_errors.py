from __future__ import annotations

import pytest

from statecore.core.errors import (
    AccessDeniedError,
    EventExistsError,
    InvalidInputError,
    MissingStateKeyError,
    SessionExistsError,
    SessionNotFoundError,
    StaleSessionError,
    StatecoreError,
)
from statecore.core.ids import SessionKey

KEY = SessionKey("shop", "ana@example.com", "s1")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SessionNotFoundError(KEY), "session not found: shop/s1; check app, user and id, or create it"),
        (SessionExistsError(KEY), "session already exists: shop/s1; choose another id or read the existing one"),
        (EventExistsError(KEY, "e1", seq=4), "shop/s1: event id 'e1' is stored at #4 with another body; use a new id"),
        (StaleSessionError(KEY, expected=4, found=6), "shop/s1: expected revision 4, found 6; reload and retry"),
        (
            AccessDeniedError(actor="key:bot", right="edit_session", app_name="shop"),
            "key:bot lacks the right 'edit_session' in app 'shop'; ask someone who may manage it",
        ),
        (InvalidInputError("events[3].timestamp", "must be a number"), "events[3].timestamp: must be a number"),
        (InvalidInputError("", "is not JSON"), "is not JSON"),
        (
            MissingStateKeyError("user:lang"),
            "user:lang: state has no key 'user:lang'; set it, or write {user:lang?} where it may be missing",
        ),
    ],
)
def test_error_says_what_was_found_and_what_to_do_and_no_end_user(error: StatecoreError, message: str) -> None:
    assert str(error) == message


def test_errors_carry_their_facts() -> None:
    stale = StaleSessionError(KEY, expected=4, found=6)
    exists = EventExistsError(KEY, "e1", seq=4)
    denied = AccessDeniedError(actor="key:bot", right="read", app_name="shop")
    assert (stale.key, stale.expected, stale.found) == (KEY, 4, 6)
    assert (exists.key, exists.event_id, exists.seq) == (KEY, "e1", 4)
    assert (denied.actor, denied.right, denied.app_name) == ("key:bot", "read", "shop")
    assert SessionNotFoundError(KEY).key == SessionExistsError(KEY).key == KEY
    assert MissingStateKeyError("lang").key == "lang"


def test_errors_are_the_builtin_kinds_that_callers_catch() -> None:
    assert issubclass(InvalidInputError, ValueError)
    assert issubclass(SessionNotFoundError, LookupError)
