from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
import uuid
from collections import OrderedDict, namedtuple
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel, field_serializer

from statecore.core.errors import NotJsonError
from statecore.core.jsonsafe import make_json_safe
from statecore.core.jsontext import check_json, dump_json, json_equal
from tests.strategies import json_values, texts


class Color(enum.Enum):
    RED = "red"
    BOTH = ("red", 2)


class Level(enum.IntEnum):
    HIGH = 3


class Kind(enum.StrEnum):
    TEA = "tea"


class Shouted(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


class Opaque:
    def __str__(self) -> str:
        return "opaque thing"


@dataclasses.dataclass
class Order:
    item: Kind
    when: dt.date
    parts: tuple[Any, ...] = ()


class Address(BaseModel):
    street: str = Field(alias="streetName")
    since: dt.date
    tags: set[str] = set()

    @field_serializer("tags", when_used="json")
    def write_tags(self, tags: set[str]) -> str:
        return ",".join(sorted(tags))


class Holder(BaseModel, arbitrary_types_allowed=True):
    thing: Opaque
    count: float = 1


Point = namedtuple("Point", "x y")


def ignore(path: str, what: str) -> None:
    """Take a warning that a test does not care about."""


def safe(value: Any) -> Any:
    """Make safe what has to be safe without a warning."""
    warnings: list[tuple[str, str]] = []
    result = make_json_safe(value, path="state", warn=lambda path, what: warnings.append((path, what)))
    assert warnings == []
    check_json(result, path="state")
    return result


def warned(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    warnings: list[tuple[str, str]] = []
    result = make_json_safe(value, path="state", warn=lambda path, what: warnings.append((path, what)))
    check_json(result, path="state")
    return result, warnings


@given(json_values())
def test_json_is_safe_already(value: Any) -> None:
    assert json_equal(safe(value), value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.datetime(2026, 12, 1, 9, 30, tzinfo=dt.UTC), "2026-12-01T09:30:00+00:00"),
        (dt.date(2026, 12, 1), "2026-12-01"),
        (dt.time(9, 30), "09:30:00"),
        (dt.timedelta(minutes=1.5), 90.0),
        (Color.RED, "red"),
        (Color.BOTH, ["red", 2]),
        (Level.HIGH, 3),
        (Kind.TEA, "tea"),
        (Shouted("tea"), "tea"),
        (True, True),
        (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (PurePosixPath("/a/b"), "/a/b"),
        (b"\xff\x00", "/wA="),
        (bytearray(b"abc"), "YWJj"),
        (Decimal("0.1234567890123456789012345"), Decimal("0.1234567890123456789012345")),
        ((1, (2,)), [1, [2]]),
        (Point(1, 2), [1, 2]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (Order(Kind.TEA, dt.date(2026, 12, 1), (b"a",)), {"item": "tea", "when": "2026-12-01", "parts": ["YQ=="]}),
        ({Kind.TEA: 1, Color.RED: 2, Shouted("x"): 3}, {"tea": 1, "red": 2, "x": 3}),
    ],
)
def test_known_kinds_of_value_become_json_faithfully(value: Any, expected: Any) -> None:
    assert json_equal(safe({"k": [value]}), {"k": [expected]})


def test_numbers_of_other_classes_become_plain() -> None:
    class Metres(float):
        def __repr__(self) -> str:
            return "far"

    class Count(int):
        def __str__(self) -> str:
            return "many"

    assert [type(number) for number in safe([Metres(1.5), Count(2)])] == [float, int]


@given(st.sets(st.integers() | texts() | st.tuples(st.integers())))
def test_sets_become_the_same_list_each_time(values: set[Any]) -> None:
    sorted_items = sorted(map(dump_json, safe(list(values))))
    assert [dump_json(item) for item in safe(values)] == sorted_items
    assert [dump_json(item) for item in safe(frozenset(values))] == sorted_items


def test_models_are_written_as_they_write_json() -> None:
    address = Address(streetName="High", since=dt.date(2020, 1, 2), tags={"b", "a"})
    assert safe({"user:address": address}) == {
        "user:address": {"streetName": "High", "since": "2020-01-02", "tags": "a,b"}
    }


def test_model_that_is_a_list_becomes_one() -> None:
    assert safe(RootModel[list[dt.date]]([dt.date(2020, 1, 2)])) == ["2020-01-02"]


def test_field_of_a_model_that_has_no_json_becomes_text_with_a_warning() -> None:
    assert warned({"k": Holder(thing=Opaque())}) == (
        {"k": {"thing": "opaque thing", "count": 1.0}},
        [("state.k.thing", "Opaque")],
    )


@pytest.mark.parametrize(
    ("value", "text", "what"),
    [
        (Opaque(), "opaque thing", "Opaque"),
        (1 + 2j, "(1+2j)", "complex"),
        (Order, str(Order), "type"),
        (Address, str(Address), "ModelMetaclass"),
    ],
)
def test_anything_else_becomes_text_with_a_warning_that_names_the_key(value: Any, text: str, what: str) -> None:
    assert warned({"cart": [1, {"x": value}]}) == ({"cart": [1, {"x": text}]}, [("state.cart[1].x", what)])


def test_key_that_is_no_text_becomes_text_with_a_warning() -> None:
    assert warned({1: "a", Level.HIGH: "b"}) == (
        {"1": "a", "3": "b"},
        [("state", "key of type int"), ("state", "key of type Level")],
    )


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (math.nan, "state.k"),
        ([0, math.inf], "state.k[1]"),
        ({"a": -math.inf}, "state.k.a"),
        ((Decimal("NaN"),), "state.k[0]"),
        ([Decimal("sNaN")], "state.k[0]"),
        ({"a": Decimal("-Infinity")}, "state.k.a"),
        (Order(Kind.TEA, dt.date(2026, 12, 1), (math.nan,)), "state.k.parts[0]"),
        (RootModel[list[float]]([1, math.nan]), "state.k[1]"),
        (Holder(thing=Opaque(), count=math.nan), "state.k.count"),
    ],
)
def test_number_that_json_cannot_hold_never_becomes_text(value: Any, path: str) -> None:
    with pytest.raises(NotJsonError, match="is not a number that JSON can hold") as caught:
        make_json_safe({"k": value}, path="state", warn=ignore)
    assert caught.value.path == path


def test_paths_start_at_the_keys_where_none_is_given() -> None:
    with pytest.raises(NotJsonError, match=r"^cart\[1\]: "):
        make_json_safe({"cart": [0, math.nan]}, warn=ignore)


def test_value_that_holds_itself_ends_in_text() -> None:
    value: list[Any] = [1]
    value.append(value)
    result, warnings = warned(value)
    assert result[1][1][0] == 1
    assert [what for _, what in warnings] == ["list"]


def test_value_nested_to_the_limit_stays_json() -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    assert json_equal(safe(value), value)
    assert warned([value])[1] != []


@given(
    st.recursive(
        st.one_of(
            st.dates(), st.times(), st.timedeltas(), st.uuids(), st.binary(), st.booleans(), st.complex_numbers()
        ),
        lambda inner: st.lists(inner) | st.dictionaries(st.integers() | texts(), inner) | st.tuples(inner, inner),
        max_leaves=8,
    )
)
def test_whatever_comes_in_can_be_stored(value: Any) -> None:
    check_json(make_json_safe(value, warn=ignore), path="state")
