from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.interop.texts import make_event, make_session, read, read_one, record_of, refusal_of

if TYPE_CHECKING:
    from pathlib import Path

HEADER = {"format": "statecore-export", "version": 1, "mask": False}


def ids_of(folder: Path, content: Any, **options: str) -> list[tuple[str, str]]:
    """Where each session is, and its id or ``!`` with the first words of its refusal."""
    return [
        (found.place, found.record.key.session_id if found.record else f"!{found.refusal}")
        for found in read(folder, content, **options)
    ]


def test_a_file_may_hold_one_session(tmp_path: Path) -> None:
    assert ids_of(tmp_path, make_session("a")) == [("", "a")]


def test_a_file_may_hold_an_array(tmp_path: Path) -> None:
    assert ids_of(tmp_path, [make_session("a"), make_session("b")]) == [("record 1", "a"), ("record 2", "b")]
    assert ids_of(tmp_path, []) == []


def test_a_file_may_hold_a_session_a_line(tmp_path: Path) -> None:
    text = f"{json.dumps(make_session('a'))}\r\n\r\n{json.dumps(make_session('b'))}\r\n"
    assert ids_of(tmp_path, b"\xef\xbb\xbf" + text.encode()) == [("line 1", "a"), ("line 3", "b")]


def test_a_file_may_hold_sessions_one_after_the_other(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(make_session(name), indent=2) for name in "ab")
    assert ids_of(tmp_path, text) == [("record 1", "a"), ("record 2", "b")]


def test_sessions_may_be_strings(tmp_path: Path) -> None:
    strings = [json.dumps(make_session(name)) for name in "ab"]
    assert ids_of(tmp_path, json.dumps(strings[0])) == [("", "a")]
    assert ids_of(tmp_path, strings) == [("record 1", "a"), ("record 2", "b")]
    assert ids_of(tmp_path, "\n".join(map(json.dumps, strings))) == [("line 1", "a"), ("line 2", "b")]
    assert ids_of(tmp_path, json.dumps(json.dumps([make_session("c")]))) == [("record 1", "c")]


def test_strings_in_strings_have_an_end(tmp_path: Path) -> None:
    text: Any = make_session("a")
    for _ in range(5):
        text = json.dumps(text)
    assert refusal_of(tmp_path, text) == "is a single value, not a session"


def test_an_export_holds_sessions_with_what_is_told_beside_them(tmp_path: Path) -> None:
    entry = {
        "session": make_session("a", state={"x": 2, "__session_metadata__": {"displayName": "from the state"}}),
        "baseline": {"x": 1},
        "display_name": "Tea order",
        "labels": {"team": "north"},
    }
    found = read(tmp_path, {**HEADER, "sessions": [entry, {"session": make_session("b")}], "checksum": "1f"})
    first, second = map(record_of, found)
    assert [one.place for one in found] == ["record 1", "record 2"]
    assert (first.baseline, first.display_name, first.labels) == ({"x": 1}, "Tea order", {"team": "north"})
    assert (second.baseline, second.display_name, second.labels) == (None, "", {})
    assert found[0].notes == ()


def test_an_export_may_come_as_lines_after_its_header(tmp_path: Path) -> None:
    lines = [{**HEADER, "mask": True}, {"session": make_session("a")}, make_session("b")]
    found = read(tmp_path, "\n".join(map(json.dumps, lines)), name="file.ndjson")
    assert [record_of(one).key.session_id for one in found] == ["a", "b"]
    assert all("masked" in one.notes[0] for one in found)


def test_the_session_of_an_entry_may_be_a_string(tmp_path: Path) -> None:
    assert ids_of(tmp_path, {**HEADER, "sessions": [{"session": json.dumps(make_session("a"))}]}) == [("record 1", "a")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({**HEADER, "version": 2, "sessions": []}, "version: of the export is not 1"),
        ({"format": "statecore-export", "sessions": []}, "version: of the export is not 1"),
        ({"format": "other", "sessions": []}, "format: is not 'statecore-export'"),
        ({**HEADER, "sessions": {}}, "sessions: must be an array"),
        ({"session": [make_session()]}, "session: must be an object"),
        ({"session": make_session(), "labels": {"team": 7}}, "labels.team: must be text"),
        ({"session": make_session(), "baseline": []}, "baseline: must be an object"),
        ({"session": make_session(), "display_name": 7}, "display_name: must be text"),
    ],
)
def test_a_wrong_export_is_refused_by_its_name(tmp_path: Path, content: Any, reason: str) -> None:
    assert refusal_of(tmp_path, content).startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "is not JSON: Expecting value at line 1 column 1"),
        ("{'id': 1}", "is not JSON: a name in quotes is missing at line 1 column 2"),
        ('{"id": "a",\n "events": [tru]}', "events[0]: is not JSON: Expecting value at line 2 column 13"),
        ('{"id": "a",\n "events": [', "is not JSON: the text ends in the middle of what begins at line 1 column 1"),
        ("7", "is a single value, not a session"),
        ("null", "is a single value, not a session"),
        ('"text"', "is not JSON: Expecting value at line 1 column 1"),
        ("[[]]", "is an array inside of an array, not a session"),
        ('{"appName": "\xff", "events": []}', "appName: is not JSON: the text is not UTF-8 at line 1 column 14"),
        ("", "is empty"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(tmp_path: Path, text: str, reason: str) -> None:
    assert refusal_of(tmp_path, text.encode("latin-1")).startswith(reason)


BROKEN = ('{"id": tru}', '{"events": [{"timestamp": NaN}]}', '{"state": {"a": "\\u0000"}}', "{]", "7", '"x"', "{}")


@pytest.mark.parametrize("broken", BROKEN)
def test_a_wrong_element_never_loses_the_others(tmp_path: Path, broken: str) -> None:
    text = f"[{json.dumps(make_session('a'))}, {broken}, {json.dumps(make_session('b'))}]"
    first, wrong, second = ids_of(tmp_path, text, app_name="shop", user_id="ana")
    assert (first, second) == (("record 1", "a"), ("record 3", "b"))
    assert wrong[0] == "record 2"
    assert wrong[1].startswith("!")


@pytest.mark.parametrize("broken", [*BROKEN, '{"id": "b', "{", "}"])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (0, 2, 1)])
def test_a_wrong_line_never_loses_the_others(tmp_path: Path, broken: str, order: tuple[int, int, int]) -> None:
    lines = [json.dumps(make_session("a")), broken, json.dumps(make_session("b"))]
    found = ids_of(tmp_path, "\n".join(lines[index] for index in order), app_name="shop", user_id="ana")
    assert len(found) == 3
    for (place, what), index, number in zip(found, order, (1, 2, 3), strict=True):
        assert place == f"line {number}"
        assert what == ("a", what if what.startswith("!") else "?", "b")[index]


@pytest.mark.parametrize("broken", BROKEN)
def test_a_wrong_entry_of_an_export_never_loses_the_others(tmp_path: Path, broken: str) -> None:
    entries = [
        f'{{"session": {text}}}' for text in (json.dumps(make_session("a")), broken, json.dumps(make_session("b")))
    ]
    text = f'{json.dumps(HEADER)[:-1]}, "sessions": [{", ".join(entries)}]}}'
    first, wrong, second = ids_of(tmp_path, text, app_name="shop", user_id="ana")
    assert (first, wrong[0], second) == (("record 1", "a"), "record 2", ("record 3", "b"))
    assert wrong[1].startswith("!")


def test_a_file_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    text = json.dumps([make_session("a"), make_session("b", events=[make_event()])])
    for cut in range(len(text) - 100, len(text) - 1):
        first, last = ids_of(tmp_path, text[:cut])
        assert first == ("record 1", "a")
        assert last[0] == "record 2"
        assert "has no end" in last[1] or "ends in the middle" in last[1]


def test_what_follows_the_end_of_an_array_is_refused(tmp_path: Path) -> None:
    first, last = ids_of(tmp_path, json.dumps([make_session("a")]) + " and more")
    assert first == ("record 1", "a")
    assert last == ("record 2", "!is not JSON: something follows the end at line 1 column " + last[1].split()[-1])


def test_a_thousand_nested_levels_are_refused(tmp_path: Path) -> None:
    for text in ("[" * 100_000, "[" * 1000 + "]" * 1000, '{"state":' * 1000 + "1" + "}" * 1000):
        assert read_one(tmp_path, text).record is None
