from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_ui.presenters.visible_text import byte_size, count_of, cut_middle, one_line, visible_json, visible_text

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@pytest.mark.parametrize("character", BIDI)
def test_bidi_control_is_named_instead_of_obeyed(character: str) -> None:
    shown = visible_text(f"a{character}b")
    assert character not in shown
    assert f"U+{ord(character):04X}" in shown


def test_terminal_codes_are_shown_as_pictures() -> None:
    assert visible_text("\x1b[31mred\x07\x7f") == "\u241b[31mred\u2407\u2421"


def test_tabs_newlines_and_foreign_scripts_stay_as_they_are() -> None:
    text = "one\n\ttwo שלום 你好 🙂"
    assert visible_text(text) == text


@given(st.text())
def test_json_made_visible_is_the_same_json(text: str) -> None:
    shown = visible_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(shown) == text
    assert not set(BIDI) & set(shown)


def test_one_line_collapses_white_space_and_cuts_at_the_end() -> None:
    assert one_line("a\n\n  b\tc", limit=10) == "a b c"
    assert one_line("abcdefghij", limit=4) == "abcd\u2026"
    assert one_line("x" * 1_000_000, limit=3) == "xxx\u2026"


def test_long_id_keeps_both_ends() -> None:
    shown = cut_middle("7a0e3c61-7f0d-4a1f-8f7e-0a53a3e7f001")
    assert len(shown) == 24
    assert shown.startswith("7a0e3c61")
    assert shown.endswith("e7f001")
    assert cut_middle("short") == "short"


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (999, "999 B"), (12_400, "12 KB"), (5_000_000, "5.0 MB")])
def test_size_is_told_in_the_unit_people_read(size: int, text: str) -> None:
    assert byte_size(size) == text


def test_counts_have_their_noun_in_the_right_number() -> None:
    assert count_of(1, "event") == "1 event"
    assert count_of(1204, "event") == "1,204 events"
    assert count_of(2, "reply", "replies") == "2 replies"
