from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidInputError, NotJsonError
from statecore.interop.spans import Span, members_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def span(text: str | bytes) -> Span:
    raw = text.encode() if isinstance(text, str) else text
    return Span(raw, 0, len(raw))


def texts(spans: list[Span]) -> list[str]:
    return [bytes(one.buffer[one.start : one.end]).decode() for one in spans]


@given(st.lists(VALUES), st.sampled_from([None, 0, 2]), st.booleans())
def test_elements_are_those_of_the_array(values: list[Any], indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    found = [
        json.loads(one.buffer[one.start : one.end].decode("utf-8", "surrogatepass")) for one in span(text).elements()
    ]
    assert found == values


@given(st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), VALUES))
def test_members_are_those_of_the_object(value: dict[str, Any]) -> None:
    found = members_of(span(json.dumps(value, indent=1)), "")
    assert {name: json.loads(one.buffer[one.start : one.end]) for name, one in found.items()} == value


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\ 1a\n').map(str.encode))
def test_no_text_does_worse_than_to_be_refused(raw: bytes) -> None:
    for walk in (Span.values, Span.elements, Span.members):
        try:
            list(walk(Span(b"[" + raw, 0, len(raw) + 1)))
        except NotJsonError:
            continue


@given(st.text(alphabet='{}[]",: 1a\n\\'))
def test_an_array_of_values_is_found_where_there_is_one_and_nowhere_else(inner: str) -> None:
    text = f"[{inner}]"
    try:
        expected = json.loads(text)
    except ValueError:
        expected = None
    try:
        found = [one.parse("") for one in span(text).elements()]
    except NotJsonError:
        found = None
    assert found == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1,\n2 3]", "',' or ']' is missing at line 2 column 3"),
        ("[1,\n]", "a value is missing at line 2 column 1"),
        ("[1, 2", "the text ends in the middle at line 1 column 6"),
        ("[1,", "the text ends in the middle at line 1 column 4"),
        ('["æøå", "ab', "a string has no end at line 1 column 9"),
        ('[{"a": "b]', "a string has no end at line 1 column 8"),
        ('\n[{"a": [1]', "the text ends in the middle of what begins at line 2 column 2"),
        ("[1] 2", "something follows the end at line 1 column 5"),
    ],
)
def test_a_broken_array_is_refused_with_line_and_column(text: str, reason: str) -> None:
    with pytest.raises(NotJsonError, match="is not JSON") as caught:
        list(span(text).trimmed().elements())
    assert caught.value.reason == f"is not JSON: {reason}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a" 1}', "':' is missing at line 1 column 6"),
        ("{1: 2}", "a name in quotes is missing at line 1 column 2"),
        ('{"a": 1 "b": 2}', "',' or '}' is missing at line 1 column 9"),
        ('{"a": }', "a value is missing at line 1 column 7"),
        ('{"a": 1,}', "a value is missing at line 1 column 9"),
    ],
)
def test_a_broken_object_is_refused_with_line_and_column(text: str, reason: str) -> None:
    with pytest.raises(NotJsonError, match="is not JSON") as caught:
        list(span(text).members())
    assert caught.value.reason == f"is not JSON: {reason}"


def test_a_fault_inside_a_value_is_placed_in_the_whole_text() -> None:
    text = span('[1,\n {"æ": [tru]}]')
    broken = list(text.elements())[1]
    with pytest.raises(NotJsonError, match="state: is not JSON: Expecting value at line 2 column 9"):
        broken.parse("state")


def test_bytes_that_are_no_text_are_placed_in_the_whole_text() -> None:
    with pytest.raises(NotJsonError, match="the text is not UTF-8 at line 2 column 3"):
        span(b'\n["\xff"]').parse("state")


def test_a_value_that_json_cannot_hold_is_refused_by_its_path() -> None:
    with pytest.raises(NotJsonError, match=r"^state\.a: is not a number"):
        span('{"a": NaN}').parse("state")


def test_a_value_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="levels deep"):
        span("[" * 100_000 + "]" * 100_000).parse("state")


def test_a_name_that_stands_twice_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"^a\.b: is given twice"):
        members_of(span('{"b": 1, "b": 2}'), "a")


def test_a_whole_value_may_have_white_space_around_it() -> None:
    assert texts([span(' \r\n{"a": 1}\t').whole()]) == ['{"a": 1}']


@pytest.mark.parametrize("text", ["", "  ", "1 2", "{} x"])
def test_what_is_not_one_value_is_not_whole(text: str) -> None:
    with pytest.raises(NotJsonError):
        span(text).whole()


def test_a_string_is_unquoted_into_the_text_inside() -> None:
    assert span(json.dumps('{"a": "\\u00e6 😀"}')).unquoted().parse("") == {"a": "æ 😀"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r'"{\"a\": \x}"', r"Invalid \\escape"),
        (r'"\ud800"', "lone surrogate"),
        (b'"\xff"', "not UTF-8"),
    ],
)
def test_a_string_that_is_no_text_is_not_unquoted(text: str | bytes, reason: str) -> None:
    with pytest.raises(NotJsonError, match=reason):
        span(text).unquoted()
