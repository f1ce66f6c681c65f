from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidIdError
from statecore.core.ids import (
    MAX_ID_LENGTH,
    OwnerKey,
    SessionKey,
    check_id,
    check_session_id,
    session_key,
    slot_of,
    slot_of_id,
)


@pytest.mark.parametrize(
    "value", ["a", "ana@example.com", "a/b", "..", "%2F", "#", "?", "👩‍🚀", "עברית", " padded ", "x" * MAX_ID_LENGTH]
)
def test_id_may_be_any_text_without_control_characters(value: str) -> None:
    assert check_id(value, field="user_id") == value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "must not be empty"),
        ("x" * (MAX_ID_LENGTH + 1), "has 129 characters; at most 128 are allowed"),
        ("a\nb", "has the control character U+000A at position 1; remove it"),
        ("\0", "has the control character U+0000 at position 0; remove it"),
        ("ab\x85", "has the control character U+0085 at position 2; remove it"),
        ("\x7f", "has the control character U+007F at position 0; remove it"),
        ("\ud800", "has the control character U+D800 at position 0; remove it"),
        (7, "must be text, not int"),
        (None, "must be text, not NoneType"),
    ],
)
def test_id_that_breaks_a_rule_is_refused_by_field_and_reason(value: Any, reason: str) -> None:
    with pytest.raises(InvalidIdError) as caught:
        check_id(value, field="user_id")
    assert (caught.value.path, caught.value.reason) == ("user_id", reason)


def test_session_id_loses_white_space_around_it_before_it_is_checked() -> None:
    assert check_session_id(" \t" + "x" * MAX_ID_LENGTH + "\n ") == "x" * MAX_ID_LENGTH
    with pytest.raises(InvalidIdError, match="session_id: must not be empty"):
        check_session_id("  ")


def test_session_id_that_is_no_text_is_refused() -> None:
    with pytest.raises(InvalidIdError, match="session_id: must be text, not int"):
        check_session_id(cast("str", 5))


def test_session_key_takes_app_and_user_as_they_are() -> None:
    assert session_key(" app ", " ana ", " s1 ") == SessionKey(" app ", " ana ", "s1")


@pytest.mark.parametrize(("position", "field"), [(0, "app_name"), (1, "user_id"), (2, "session_id")])
def test_session_key_names_the_id_that_is_wrong(position: int, field: str) -> None:
    ids = ["app", "ana", "s1"]
    ids[position] = ""
    with pytest.raises(InvalidIdError) as caught:
        session_key(*ids)
    assert caught.value.path == field


def test_session_key_reads_without_the_user() -> None:
    assert str(SessionKey("shop", "ana@example.com", "s1")) == "shop/s1"


def test_owner_is_an_app_unless_it_names_a_user() -> None:
    assert OwnerKey("shop").user_id is None
    assert OwnerKey("shop") != OwnerKey("shop", "ana")


def test_slots_are_those_that_are_stored() -> None:
    # Rows lie where these numbers say; another number would lose them.
    assert [slot_of("shop"), slot_of("shop", "ana"), slot_of("магазин", "אנה")] == [98, 2317, 1064]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.text(st.characters(exclude_categories=["Cs"])))
def test_slot_is_one_of_4096(app_name: str, user_id: str | None) -> None:
    assert 0 <= slot_of(app_name, user_id) < 4096


def test_slot_of_a_numeric_id_is_its_low_12_bits() -> None:
    assert slot_of_id((987654321 << 12) | 4095) == 4095
    assert slot_of_id(1 << 12) == 0
