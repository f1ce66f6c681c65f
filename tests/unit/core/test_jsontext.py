from __future__ import annotations

import json
import math
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidInputError, NotJsonError, TooLargeError
from statecore.core.jsontext import (
    check_json,
    dump_json,
    json_equal,
    json_texts_equal,
    load_json,
    parse_json,
)
from statecore.core.limits import Limits
from tests.strategies import json_values

SMALL = Limits(body_bytes=2000, value_bytes=10, depth=3, number_digits=5)


class Text(str):
    __slots__ = ()


@given(json_values())
def test_value_written_and_parsed_is_the_same_json(value: Any) -> None:
    text = dump_json(value)
    parsed = parse_json(text)
    assert json_equal(parsed, value)
    assert dump_json(parsed) == text
    assert dump_json(load_json(text)) == text


@given(json_values(), st.integers(1, 4))
def test_white_space_and_escapes_in_a_text_do_not_matter(value: Any, indent: int) -> None:
    spread = json.dumps(json.loads(dump_json(value)), indent=indent)
    assert json_texts_equal(spread, json.dumps(json.loads(spread), ensure_ascii=False))


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993",
        "1000000000000000000000000000000",
        "0.30000000000000004",
        "-0.0",
        "1e+308",
        "1e-320",
        "5e-324",
        "0.1234567890123456789012345",
        "1E-400",
        "-" + "9" * 1000,
        '"\\u0001 \\\\u0000 é 👩‍🚀 \u2028"',
        '{"b":1,"a":[],"":{}}',
        "[true,false,null]",
    ],
)
def test_text_comes_back_as_it_was(text: str) -> None:
    assert dump_json(parse_json(text)) == text


def test_numbers_have_the_type_that_holds_them() -> None:
    parsed = parse_json("[1, 1.0, 1e2, 0.1, 0.10, 0.1000000000000000055511151231257827, 1e-400]")
    assert [type(number) for number in parsed] == [int, float, float, float, float, Decimal, Decimal]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("NaN", "body"),
        ('{"a": [1, Infinity]}', "body.a[1]"),
        ("[-Infinity]", "body[0]"),
        ("[1e400]", "body[0]"),
        ('{"a": {"b": -1e309}}', "body.a.b"),
        ("[1.79769313486231575e308]", "body[0]"),
        ("[1e-99999999999999999999]", "body[0]"),
        ("[0e99999999999999999999]", "body[0]"),
    ],
)
def test_number_that_json_cannot_hold_is_refused_by_path(text: str, path: str) -> None:
    with pytest.raises(NotJsonError, match="is not a number that JSON can hold") as caught:
        parse_json(text, path="body")
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (r'"a\u0000b"', ""),
        (r'{"a": ["x", "\u0000"]}', "a[1]"),
        (r'{"a": {"k\u0000": 1}}', r"a.k\u0000"),
        (r'{"\u0000": 1}', r"\u0000"),
    ],
)
def test_null_character_is_refused_by_path(text: str, path: str) -> None:
    with pytest.raises(NotJsonError, match=r"holds U\+0000, which cannot be stored") as caught:
        parse_json(text)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("text", "path"), [(r'{"a": "\ud83d"}', "a"), (r'{"a\udc00": 1}', r"a\udc00"), (r'["é\udfff"]', "[0]")]
)
def test_lone_surrogate_is_refused_by_path(text: str, path: str) -> None:
    with pytest.raises(NotJsonError, match=r"holds the lone surrogate U\+D(83D|C00|FFF), which is not text") as caught:
        parse_json(text)
    assert caught.value.path == path


def test_escaped_pair_of_surrogates_is_a_character() -> None:
    assert parse_json(r'"\ud83d\ude80"') == "🚀"


def test_broken_text_is_refused_with_line_and_column() -> None:
    with pytest.raises(NotJsonError) as caught:
        parse_json('{\n  "a": 1,\n  b: 2}', path="body")
    assert caught.value.path == "body"
    assert "line 3 column 3" in caught.value.reason


def test_bytes_are_read_as_utf8_with_or_without_a_mark() -> None:
    assert parse_json('\ufeff"é"'.encode()) == parse_json('"é"'.encode()) == parse_json('\ufeff"é"') == "é"


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(NotJsonError, match=r"body: is not UTF-8 text \(byte 1\)"):
        parse_json(b'"\xff"', path="body")


@pytest.mark.parametrize("levels", [201, 500, 999, 1000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_text_nested_too_deeply_is_refused_and_crashes_nothing(levels: int, opening: str, closing: str) -> None:
    with pytest.raises(TooLargeError, match="is nested more than 200 levels deep"):
        parse_json(opening * levels + "1" + closing * levels)


def test_text_nested_to_the_limit_is_accepted() -> None:
    text = "[" * 200 + "]" * 200
    assert dump_json(parse_json(text)) == text


@pytest.mark.parametrize("levels", [201, 100_000])
@pytest.mark.parametrize("kind", [list, dict])
def test_value_nested_too_deeply_is_refused_and_crashes_nothing(levels: int, kind: type) -> None:
    value: Any = []
    for _ in range(levels - 1):
        value = [value] if kind is list else {"a": value}
    with pytest.raises(TooLargeError, match="is nested more than 200 levels deep"):
        check_json(value, path="event")


def test_value_that_holds_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(TooLargeError, match="is nested more than 200 levels deep"):
        check_json(value, path="event")


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ({"a": [1, {2}]}, "event.a[1]", "is not JSON but set"),
        ({"a": (1,)}, "event.a", "is not JSON but tuple"),
        ({"a": {1: 2}}, "event.a", "has a key that is not text but int"),
        ({"a": {None: 2}}, "event.a", "has a key that is not text but NoneType"),
        ({"a": Text("x")}, "event.a", "is not JSON but Text"),
        ({"a": [0, math.nan]}, "event.a[1]", "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)"),
        (Decimal("NaN"), "event", "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)"),
        (Decimal("sNaN"), "event", "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)"),
        (Decimal("-1e400"), "event", "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)"),
        (Decimal("1e1000000"), "event", "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)"),
        (b"x", "event", "is not JSON but bytes"),
    ],
)
def test_value_that_is_not_json_is_refused_by_path(value: Any, path: str, reason: str) -> None:
    with pytest.raises(NotJsonError) as caught:
        check_json(value, path="event")
    assert (caught.value.path, caught.value.reason) == (path, reason)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("x" * 11, "has more than 10 bytes"),
        (["é" * 6], "has more than 10 bytes"),
        ({"k" * 11: 1}, "has more than 10 bytes"),
        (10**20, "is a number of more than 5 digits"),
        (-(10**20), "is a number of more than 5 digits"),
        (Decimal("1.00001"), "is a number of more than 5 digits"),
        ([[[[]]]], "is nested more than 3 levels deep"),
        ({"a": {"b": {"c": {}}}}, "is nested more than 3 levels deep"),
    ],
)
def test_value_over_a_limit_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(TooLargeError) as caught:
        check_json(value, path="event", limits=SMALL)
    assert caught.value.reason == reason


@pytest.mark.parametrize("value", ["x" * 10, "é" * 5, [[[1]]], Decimal("1.0001"), {"k" * 10: {"a": {"b": None}}}])
def test_value_at_a_limit_is_accepted(value: Any) -> None:
    check_json(value, path="event", limits=SMALL)


def test_whole_number_is_limited_to_its_digits_exactly() -> None:
    limits = Limits(number_digits=20)
    check_json([10**20 - 1, 1 - 10**20], path="event", limits=limits)
    assert parse_json("9" * 20, limits=limits) == 10**20 - 1
    for number in (10**20, -(10**20)):
        with pytest.raises(TooLargeError, match="more than 20 digits"):
            check_json(number, path="event", limits=limits)


@pytest.mark.parametrize("digits", [1001, 1002, 5000, 100_000])
def test_number_of_many_digits_is_refused_by_path(digits: int) -> None:
    with pytest.raises(TooLargeError, match=r"^\[0\]: is a number of more than 1000 digits"):
        parse_json("[" + "7" * digits + "]")


def test_body_over_its_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(TooLargeError, match="body: has 2001 bytes; at most 2000 are allowed"):
        parse_json("[" * 2001, path="body", limits=SMALL)


def test_mapping_of_another_class_is_checked_like_a_dict() -> None:
    check_json(MappingProxyType({"a": [1]}), path="event")
    with pytest.raises(NotJsonError, match=r"event\.a\[0\]"):
        check_json(MappingProxyType({"a": [math.inf]}), path="event")


def test_long_path_is_cut() -> None:
    with pytest.raises(NotJsonError) as caught:
        parse_json('{"' + "k" * 500 + '": NaN}')
    assert caught.value.path == "k" * 200 + "..."


@pytest.mark.parametrize(
    ("left", "right"), [(1, 1.0), (0, False), (1, True), (-0.0, 0.0), ("1", 1), (None, False), ([], {}), ({"a": 1}, {})]
)
def test_json_that_python_takes_for_equal_may_differ(left: Any, right: Any) -> None:
    assert not json_equal(left, right)
    assert not json_equal({"a": [left]}, {"a": [right]})
    assert not json_texts_equal(dump_json(left), dump_json(right))


def test_order_of_keys_does_not_make_json_differ_but_order_of_items_does() -> None:
    assert json_equal({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    assert json_texts_equal('{"a":1,"b":2}', '{"b": 2, "a": 1}')
    assert not json_equal([1, 2], [2, 1])


def test_exact_numbers_are_equal_when_their_digits_are() -> None:
    assert json_texts_equal("[0.1234567890123456789012345]", " [0.1234567890123456789012345]")
    assert not json_texts_equal("0.1234567890123456789012345", "0.1234567890123456789012346")


def test_writing_what_was_not_checked_fails() -> None:
    with pytest.raises(TypeError, match="set is not JSON"):
        dump_json({1})
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_json(math.nan)


@given(st.binary(max_size=40) | st.text(alphabet='[]{}":,0123456789.eE+-\\u ntrfalsd\0\ud800', max_size=40))
def test_any_text_is_parsed_or_refused_in_words(text: bytes | str) -> None:
    try:
        value = parse_json(text)
    except InvalidInputError as error:
        str(error).encode()
    else:
        assert json_equal(parse_json(dump_json(value)), value)
