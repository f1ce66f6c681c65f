from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from statecore.core.jsontext import json_equal
from statecore.core.scopes import (
    Scope,
    ScopedState,
    format_key,
    has_misleading_prefix,
    merge_state,
    parse_key,
    split_state,
)
from tests.strategies import state_keys, states, texts


@pytest.mark.parametrize(
    ("key", "scope", "name"),
    [
        ("cart", Scope.SESSION, "cart"),
        ("app:motd", Scope.APP, "motd"),
        ("user:lang", Scope.USER, "lang"),
        ("temp:draft", Scope.TEMP, "draft"),
        ("app:temp:x", Scope.APP, "temp:x"),
        ("user:app:y", Scope.USER, "app:y"),
        ("APP:z", Scope.SESSION, "APP:z"),
        ("other:x", Scope.SESSION, "other:x"),
        (" app:x", Scope.SESSION, " app:x"),
        ("app", Scope.SESSION, "app"),
        ("app:", Scope.APP, ""),
        (":", Scope.SESSION, ":"),
        ("", Scope.SESSION, ""),
    ],
)
def test_scope_is_decided_by_the_first_prefix_in_exactly_its_spelling(key: str, scope: Scope, name: str) -> None:
    assert parse_key(key) == (scope, name)


@given(state_keys() | texts())
def test_key_taken_apart_and_put_together_is_the_same(key: str) -> None:
    assert format_key(*parse_key(key)) == key


@pytest.mark.parametrize(
    ("key", "misleading"),
    [("app:temp:x", True), ("user:app:y", True), ("app:x", False), ("app:APP:x", False), ("temp:app:x", False)],
)
def test_stored_key_that_looks_like_another_scopes_misleads(key: str, misleading: bool) -> None:
    assert has_misleading_prefix(key) is misleading


def test_state_is_split_by_scope_with_names_without_prefix() -> None:
    state = {"step": 1, "user:lang": "nb", "app:motd": None, "temp:draft": [], "app:temp:x": 2}
    assert split_state(state) == ScopedState(
        app={"motd": None, "temp:x": 2}, user={"lang": "nb"}, session={"step": 1}, temp={"draft": []}
    )


def test_split_state_gives_each_scope_its_part() -> None:
    scoped = split_state({"step": 1, "user:lang": "nb", "app:motd": "hi", "temp:draft": 0})
    assert {scope: scoped.of(scope) for scope in Scope} == {
        Scope.APP: {"motd": "hi"},
        Scope.USER: {"lang": "nb"},
        Scope.SESSION: {"step": 1},
        Scope.TEMP: {"draft": 0},
    }


@given(states())
def test_state_split_and_merged_is_the_same(state: dict[str, Any]) -> None:
    assert json_equal(merge_state(split_state(state)), state)


def test_merged_state_has_the_session_first() -> None:
    merged = merge_state(split_state({"app:a": 1, "temp:t": 4, "user:u": 2, "s": 3}))
    assert list(merged) == ["s", "user:u", "app:a", "temp:t"]


def test_session_scope_has_no_prefix() -> None:
    assert [scope.prefix for scope in (Scope.APP, Scope.USER, Scope.SESSION, Scope.TEMP)] == [
        "app:",
        "user:",
        "",
        "temp:",
    ]
