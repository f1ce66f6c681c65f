from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from sessions_ui.presenters import gallery
from sessions_ui.presenters.event_rows import EventRow
from sessions_ui.presenters.records import ChangeRecord, EventRecord, HeldValue
from sessions_ui.presenters.sentences import NO_WORDS
from sessions_ui.presenters.timeline import Group, PauseRow, Reading, StateRow, present_timeline
from statecore.core.delta import ChangeKind
from statecore.core.events import EventFlag, EventKind
from statecore.core.jsontext import dump_json
from statecore.core.masking import MASKED
from statecore.core.scopes import Scope

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
EXAMPLES = [
    *((name, {"content": {"parts": [part]}}) for name, part in gallery.PART_EXAMPLES.items()),
    *((name, {"content": {"parts": [{name: part[name]}]}}) for name, part in gallery.PART_EXAMPLES.items()),
    *((name, {"actions": {name: value}}) for name, value in gallery.ACTION_EXAMPLES.items()),
    *((name, {name: value}) for name, value in gallery.EVENT_EXAMPLES.items() if name not in ("content", "actions")),
]


def record(seq: int, payload: Any = None, **more: Any) -> EventRecord:
    facts: dict[str, Any] = {
        "seq": seq,
        "gid": seq + 1000,
        "event_id": f"event-{seq}",
        "invocation_id": "e-1",
        "author": "agent",
        "timestamp": 1796079885.0 + seq,
        "receive_time": NOW,
        "kind": EventKind.MESSAGE,
        "flags": EventFlag(0),
        "payload_json": dump_json(payload if payload is not None else says("hello")),
        "payload_size": 100,
    }
    return EventRecord(**{**facts, **more})


def says(text: str, **part: Any) -> dict[str, Any]:
    return {"content": {"parts": [{"text": text, **part}]}}


def writes(**delta: Any) -> dict[str, Any]:
    return {"actions": {"stateDelta": delta}}


def change(name: str, seq: int, *, old: Any = None, scope: Scope = Scope.SESSION, **more: Any) -> ChangeRecord:
    before = HeldValue("absent") if old is None else HeldValue("value", dump_json(old), 10)
    facts: dict[str, Any] = {"new": HeldValue("value", "1", 1), "kind": ChangeKind.EVENT, "position": seq * 2}
    return ChangeRecord(scope=scope, name=name, seq=seq, old=before, **{**facts, **more})


def timeline(*records: EventRecord, changes: tuple[ChangeRecord, ...] = (), **more: Any) -> list[Group]:
    facts: dict[str, Any] = {
        "first": records[0].seq,
        "last": records[-1].seq,
        "revision": records[-1].seq,
        "selected": None,
        "reading": Reading(now=NOW),
    }
    return present_timeline(records, changes, **{**facts, **more})


def rows(groups: list[Group]) -> list[EventRow]:
    return [entry for group in groups for entry in group.entries if isinstance(entry, EventRow)]


def only_row(payload: Any, *changes: ChangeRecord, **more: Any) -> EventRow:
    (row,) = rows(timeline(record(5, payload, **more), changes=changes, revision=9))
    return row


def test_neighbouring_events_of_an_invocation_are_one_group_with_count_and_duration() -> None:
    groups = timeline(*[record(seq, invocation_id="e-1" if seq < 8 else "e-2") for seq in range(5, 10)])
    assert [(group.invocation_id, group.event_count, group.duration) for group in groups] == [
        ("e-1", 3, "2.0 s"),
        ("e-2", 2, "1.0 s"),
    ]


def test_first_page_begins_with_the_baseline() -> None:
    groups = timeline(record(1), changes=(change("plan", 0, kind=ChangeKind.BASELINE),))
    baseline = groups[0].entries[0]
    assert isinstance(baseline, StateRow)
    assert baseline.shape == "baseline"
    assert [row.key for row in baseline.delta] == ["plan"]


def test_later_page_has_no_baseline() -> None:
    assert [entry.shape for group in timeline(record(2)) for entry in group.entries] == ["event"]


def test_import_correction_follows_its_event() -> None:
    kind = ChangeKind.IMPORT_CORRECTION
    groups = timeline(record(5), record(6), changes=(change("draft", 5, old="a", kind=kind, position=11),))
    assert [entry.shape for group in groups for entry in group.entries] == ["event", "correction", "event"]


def test_correction_of_a_session_without_events_follows_the_baseline() -> None:
    correction = change("draft", 0, kind=ChangeKind.IMPORT_CORRECTION, position=1)
    groups = present_timeline([], [correction], first=1, last=0, revision=0, selected=None, reading=Reading(now=NOW))
    assert [entry.shape for group in groups for entry in group.entries] == ["baseline", "correction"]


def test_long_silence_is_an_entry() -> None:
    groups = timeline(record(5), record(6, timestamp=1796079885.0 + 125))
    assert [entry.text for group in groups for entry in group.entries if isinstance(entry, PauseRow)] == [
        "2 min 0 s pause"
    ]


def test_delta_goes_from_the_change_before_to_the_new_value() -> None:
    row = only_row(writes(order_status="held"), change("order_status", 5, old="open"))
    (delta,) = row.delta
    assert (delta.scope, delta.key, delta.old.text, delta.new.text, delta.sign) == (
        Scope.SESSION, "order_status", '"open"', '"held"', "~",
    )  # fmt: skip
    assert row.sentence == 'order_status went from "open" to "held"'


def test_null_absent_and_removed_look_different() -> None:
    payload = {**writes(note=None), "customMetadata": {"statecore": {"removed": ["plan"]}}}
    row = only_row(payload, change("note", 5), change("plan", 5, old="pro"))
    assert [(each.old.kind, each.new.kind, each.sign) for each in row.delta] == [
        ("absent", "null", "+"),
        ("text", "removed", "\u2212"),
    ]


def test_change_of_type_is_called_out() -> None:
    (delta,) = only_row(writes(count="2"), change("count", 5, old=1)).delta
    assert delta.notes == ("type changed from number to text",)


def test_same_value_again_is_called_out() -> None:
    (delta,) = only_row(writes(count={"a": 1}), change("count", 5, old={"a": 1})).delta
    assert delta.notes == ("no change: the same value again",)


def test_baseline_that_gives_a_shared_key_its_value_again_is_called_out() -> None:
    given = change("tier", 0, old=1, scope=Scope.USER, kind=ChangeKind.BASELINE)
    baseline = timeline(record(1), changes=(given,))[0].entries[0]
    assert isinstance(baseline, StateRow)
    assert baseline.delta[0].notes == ("no change: the same value again",)


def test_number_that_only_looks_equal_is_a_change() -> None:
    (delta,) = only_row(writes(count=1.0), change("count", 5, old=1)).delta
    assert delta.notes == ()


def test_shared_key_of_an_imported_event_without_a_change_is_marked() -> None:
    payload = writes(**{"user:plan": "pro", "app:tier": 1, "step": 2})
    row = only_row(payload, change("tier", 5, scope=Scope.APP), flags=EventFlag.IS_IMPORTED)
    assert {each.key: each.notes for each in row.delta} == {
        "step": (),
        "user:plan": ("not applied to shared state",),
        "app:tier": (),
    }


def test_second_prefix_is_warned_about() -> None:
    (delta,) = only_row(writes(**{"app:temp:x": 1})).delta
    assert delta.key == "app:temp:x"
    assert delta.notes == ("the second prefix is part of the name",)


def test_keys_come_by_scope() -> None:
    row = only_row(writes(**{"app:a": 1, "user:b": 1, "c": 1, "temp:d": 1}))
    assert [each.key for each in row.delta] == ["c", "user:b", "app:a"]


def test_secret_is_masked_old_and_new() -> None:
    (delta,) = only_row(
        writes(**{"user:api_key": "hunter2"}), change("api_key", 5, old="hunter1", scope=Scope.USER)
    ).delta
    assert (delta.old.text, delta.new.text) == (MASKED, MASKED)


def test_secret_in_arguments_is_masked() -> None:
    call = {"functionCall": {"id": "a", "name": "login", "args": {"user": "kim", "password": "hunter2"}}}
    row = only_row({"content": {"parts": [call]}})
    assert row.lines[0].text == f'user="kim" password={MASKED}'


@pytest.mark.parametrize(
    ("flags", "chips"),
    [
        (EventFlag.HAS_ERROR, ["error"]),
        (EventFlag.IS_EDIT, ["edit"]),
        (EventFlag.IS_IMPORTED, ["imported"]),
        (EventFlag.MADE_ID | EventFlag.MADE_TIMESTAMP, ["id and time made up here"]),
        (EventFlag.MADE_AUTHOR, ["author made up here"]),
        (EventFlag(0), []),
    ],
)
def test_flags_have_words(flags: EventFlag, chips: list[str]) -> None:
    assert [chip.text for chip in only_row(says("hi"), flags=flags).chips] == chips


def test_clock_going_backwards_is_flagged_also_across_the_edge_of_the_page() -> None:
    records = [record(4, timestamp=1796079999.0), record(5), record(6)]
    found = rows(timeline(*records, first=5))
    assert [[chip.text for chip in row.chips] for row in found] == [["clock goes backwards"], []]


def test_call_is_paired_with_an_answer_beyond_the_page() -> None:
    call = {"content": {"parts": [{"functionCall": {"id": "a", "name": "lookup", "args": {}}}]}}
    answer = {"content": {"parts": [{"functionResponse": {"id": "a", "name": "lookup", "response": {}}}]}}
    (row,) = rows(timeline(record(5, call), record(6), record(7, answer), last=5))
    assert row.lines[0].pair is not None
    assert row.lines[0].pair.text == "answered at #7"


def test_event_too_big_to_read_says_its_size_and_kind() -> None:
    row = only_row(None, payload_json=None, payload_size=5_000_000, kind=EventKind.RESPONSE)
    assert row.sentence == "A big response of 5.0 MB, not loaded"
    assert not row.is_loaded


def test_event_that_nobody_can_interpret_shows_its_raw_json() -> None:
    row = only_row({"id": "x", "weird": [1]})
    assert row.sentence == "An event that no rule can put into words"
    assert [line.text for line in row.lines] == ['{"weird":[1]}']


def test_event_whose_only_content_is_a_known_field_has_words_and_no_raw_json() -> None:
    rows_of = [(name, only_row(example)) for name, example in EXAMPLES]
    assert [(name, row.sentence) for name, row in rows_of if row.sentence in ("", NO_WORDS)] == []
    assert [
        (name, line.text) for name, row in rows_of for line in row.lines if line.label in ("raw JSON", "part")
    ] == []


def test_unknown_names_beside_known_ones_are_the_only_raw_json() -> None:
    row = only_row({"usageMetadata": {"n": 1}, "weird": [1], "actions": {"stateDelta": {}, "odd": 2}})
    assert row.sentence == "Carries usage metadata"
    assert [line.text for line in row.lines] == ['{"weird":[1],"actions":{"odd":2}}']


def test_event_without_anything_says_so() -> None:
    row = only_row({"id": "x", "actions": {"stateDelta": {}, "artifactDelta": {}}, "nodeInfo": {"path": ""}})
    assert (row.sentence, row.lines) == ("Nothing said, nothing changed", ())


def test_part_of_an_unknown_shape_is_not_called_nothing() -> None:
    row = only_row({"content": {"parts": [{"functionCall": "lookup"}]}})
    assert row.sentence != "Nothing said, nothing changed"
    assert [line.text for line in row.lines] == ['{"functionCall":"lookup"}']


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It is paid.", "It is paid; plan was set to 1"),
        ("Any medicine?", "Any medicine? plan was set to 1"),
        ("One moment...", "One moment...; plan was set to 1"),
        ("It is paid", "It is paid; plan was set to 1"),
    ],
)
def test_what_was_said_and_done_are_joined_without_two_ends_in_a_row(text: str, sentence: str) -> None:
    row = only_row({**says(text), **writes(plan=1)}, change("plan", 5))
    assert (row.sentence, row.lines) == (sentence, ())


def test_short_part_is_shown_though_a_longer_one_contains_it() -> None:
    parts = [{"text": text} for text in ("12 boxes", "red", "blue", "2")]
    assert [line.text for line in only_row({"content": {"parts": parts}}).lines] == ["2"]


def test_output_that_fits_into_the_sentence_is_not_shown_twice() -> None:
    assert only_row({"output": {"a": 1}}).lines == ()


def test_text_that_fits_into_the_sentence_is_not_shown_twice() -> None:
    row = only_row(says("Where is my order?"))
    assert row.sentence == "Where is my order?"
    assert row.lines == ()


def test_text_that_the_sentence_cuts_is_shown_below_it() -> None:
    text = "word " * 50
    row = only_row(says(text))
    assert row.sentence.endswith("\u2026")
    assert [line.text for line in row.lines] == [text]


def test_long_text_is_cut() -> None:
    row = only_row(says("x" * 5000))
    assert row.lines[0].is_cut
    assert len(row.lines[0].text) < 700


def test_many_parts_and_keys_are_counted_and_not_all_shown() -> None:
    payload = {
        "content": {"parts": [{"text": f"part {number}"} for number in range(30)]},
        "actions": {"stateDelta": {f"key{number}": number for number in range(40)}},
    }
    row = only_row(payload)
    assert (len(row.lines), row.more_lines) == (12, 15)
    assert (len(row.delta), row.more_delta) == (12, 28)
    assert "and 37 more keys changed" in row.sentence


def test_picture_is_offered_on_demand_and_other_bytes_are_not() -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    parts = [{"inlineData": {"mimeType": "image/png", "data": data}} for data in (png, "PGh0bWw-", "!!")]
    row = only_row({"content": {"parts": parts}})
    assert [line.picture for line in row.lines] == ["0", "", ""]


def test_selected_event_is_marked() -> None:
    found = rows(timeline(record(5), record(6), selected=6))
    assert [row.is_selected for row in found] == [False, True]


def test_bidi_override_in_author_and_text_is_shown_not_obeyed() -> None:
    row = only_row(says("abc\u202edef"), author="eve\u202e")
    assert "\u202e" not in row.author + row.sentence


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        ({"errorCode": "QUOTA", "errorMessage": "try later"}, "Failed with QUOTA: try later"),
        ({"actions": {"transferToAgent": "billing"}}, "Hands over to billing"),
        ({"actions": {"escalate": True}}, "Escalates to the agent above"),
        ({"actions": {"requestedAuthConfigs": {"a": {}}}}, "Asks for a credential"),
        ({"actions": {"requestedToolConfirmations": {"a": {}}}}, "Asks for a confirmation"),
        ({"actions": {"compaction": {"startTimestamp": 1}}}, "Compacts earlier events"),
        ({"actions": {"rewindBeforeInvocationId": "e"}}, "Rewinds the session"),
        ({"actions": {"route": "revise"}}, "Takes the route revise"),
        ({"actions": {"artifactDelta": {"a.pdf": 0}}}, "Saves a.pdf"),
        ({"actions": {"endOfAgent": True}}, "Ends the agent's run"),
        ({"output": {"a": 1}}, 'Gives out {"a":1}'),
        ({"turnComplete": True}, "Ends the turn"),
        ({"interrupted": True}, "Was interrupted"),
        ({"inputTranscription": {"text": "two boxes"}}, "Heard: two boxes"),
        (says("let me see", thought=True), "Thinks: let me see"),
        ({"content": {"parts": [{"executableCode": {"language": "PYTHON"}}]}}, "Runs code (PYTHON)"),
        ({"content": {"parts": [{"codeExecutionResult": {"outcome": "OK"}}]}}, "Code ended with OK"),
        ({"content": {"parts": [{"inlineData": {"mimeType": "image/png"}}]}}, "Sends an image (image/png)"),
        ({"content": {"parts": [{"fileData": {"mimeType": "video/mp4"}}]}}, "Sends a file (video/mp4)"),
        (
            {"content": {"parts": [{"functionResponse": {"name": "find", "response": {"error": "404"}}}]}},
            "Tool find failed: 404",
        ),
    ],
)
def test_sentence_says_what_happened(payload: Any, sentence: str) -> None:
    assert only_row(payload).sentence == sentence
