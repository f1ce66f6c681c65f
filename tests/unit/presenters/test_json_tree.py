from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_ui.presenters.json_branch import MAX_TEXT, present_branch
from sessions_ui.presenters.json_text import indent_json
from sessions_ui.presenters.json_tree import compact_json, point_to, present_tree, resolve_pointer
from statecore.core.jsontext import dump_json, json_equal, load_json
from statecore.core.masking import MASKED

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)  # what can be stored
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=40,
)


@given(JSON)
def test_every_branch_that_opens_also_closes(value: Any) -> None:
    depth = 0
    for line in present_tree(value, max_lines=10, max_depth=3):
        depth += {"open": 1, "close": -1}.get(line.shape, 0)
        assert depth >= 0
    assert depth == 0


@given(JSON)
def test_each_branch_left_out_can_be_found_by_its_pointer(value: Any) -> None:
    for line in present_tree(value, max_lines=6, max_depth=2):
        if line.shape == "more":
            assert isinstance(resolve_pointer(value, line.pointer), list | dict)


def test_deep_nesting_makes_a_short_tree() -> None:
    value: Any = 1
    for _ in range(150):
        value = [value]
    lines = present_tree(value)
    assert len(lines) < 20
    assert any(line.shape == "more" for line in lines)


def test_long_list_goes_on_where_it_was_cut() -> None:
    value = list(range(1000))
    cut = next(line for line in present_tree(value, max_lines=20) if line.shape == "more")
    following = present_tree(value, max_lines=20, start=cut.start)
    assert following[1].text == str(cut.start)


def test_exact_numbers_are_shown_as_they_were_written() -> None:
    value = load_json('{"a":9007199254740993,"b":0.30000000000000004,"c":-0.0,"d":1e308,"e":0.12345678901234567890123}')
    shown = [line.text for line in present_tree(value) if line.shape == "leaf"]
    assert shown == ["9007199254740993", "0.30000000000000004", "-0.0", "1e+308", "0.12345678901234567890123"]


def test_masked_text_has_a_kind_of_its_own() -> None:
    line = present_tree({"password": MASKED})[1]
    assert (line.kind, line.text) == ("masked", MASKED)


@pytest.mark.parametrize("pointer", ["/x", "/list/9", "/list/-1", "/list/one", "/text/0", "/list/0/deeper"])
def test_pointer_to_nothing_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        resolve_pointer({"list": [1], "text": "abc"}, pointer)


@given(st.text())
def test_any_key_can_be_pointed_to(key: str) -> None:
    assert resolve_pointer({key: 7}, point_to("", key)) == 7


@given(JSON)
def test_indented_json_is_the_same_json(value: Any) -> None:
    assert json_equal(load_json(indent_json(dump_json(value))), value)


def test_indented_json_keeps_the_spelling_of_numbers_and_breaks_no_text() -> None:
    text = '{"a":[1.50,{}],"b":"{,:[\\"","c":[]}'
    assert indent_json(text) == '{\n  "a": [\n    1.50,\n    {}\n  ],\n  "b": "{,:[\\"",\n  "c": []\n}'


def test_compact_json_says_that_it_was_cut() -> None:
    assert compact_json({"a": 1}, limit=20) == ('{"a":1}', False)
    assert compact_json("x" * 50, limit=5) == ('"xxxxx\u2026', True)
    assert compact_json(list(range(50)), limit=5)[1] is True


def test_long_text_is_shown_in_pieces() -> None:
    branch = present_branch({"t": "x" * (MAX_TEXT + 5)}, pointer="/t")
    assert branch.text == "x" * MAX_TEXT
    assert branch.next_start == MAX_TEXT
    assert present_branch({"t": "x" * (MAX_TEXT + 5)}, pointer="/t", start=MAX_TEXT).text == "xxxxx"
