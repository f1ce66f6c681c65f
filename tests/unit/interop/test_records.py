from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.delta import REMOVED
from statecore.core.events import EventFlag
from tests.unit.interop.texts import NOW, make_event, make_session, read_one, record_of, refusal_of

if TYPE_CHECKING:
    from pathlib import Path


def notes_of(folder: Path, content: Any, **options: str) -> str:
    found = read_one(folder, content, **options)
    record_of(found)
    return "\n".join(found.notes)


def with_events(*events: Any, **fields: Any) -> dict[str, Any]:
    return make_session(events=list(events), **fields)


def test_a_session_in_snake_case_is_the_same_as_in_camel_case(tmp_path: Path) -> None:
    camel = record_of(read_one(tmp_path, make_session(lastUpdateTime=5.5)))
    snake = {"id": "s1", "app_name": "shop", "user_id": "ana", "state": {}, "events": [], "last_update_time": 5.5}
    found = record_of(read_one(tmp_path, snake))
    assert (found.key, found.update_time) == (camel.key, camel.update_time)


def test_both_spellings_of_a_field_are_refused(tmp_path: Path) -> None:
    assert "appName: is given in both spellings" in refusal_of(tmp_path, make_session(app_name="shop"))


def test_a_field_that_stands_twice_is_refused(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, '{"events": [], "id": "a", "id": "b"}') == "id: is given twice; give it once"


@pytest.mark.parametrize(("name", "option"), [("appName", "--app"), ("userId", "--user")])
@pytest.mark.parametrize("value", ["", None])
def test_a_missing_app_or_user_is_refused_by_name(tmp_path: Path, name: str, option: str, value: str | None) -> None:
    reason = refusal_of(tmp_path, {**make_session(), name: value})
    assert reason.startswith(f"{name}: is missing")
    assert option in reason


def test_what_the_caller_says_of_app_and_user_wins(tmp_path: Path) -> None:
    key = record_of(read_one(tmp_path, make_session(), app_name="zoo", user_id="bo")).key
    assert (key.app_name, key.user_id, key.session_id) == ("zoo", "bo", "s1")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": 7}, "id: must be text, not int"),
        ({"id": "a\nb"}, "id: has the control character U+000A"),
        ({"userId": "u" * 129}, "userId: has 129 characters"),
        ({"appName": ["shop"]}, "appName: must be text"),
        ({"state": []}, "state: must be an object"),
        ({"state": {"k" * 1025: 1}}, "is longer than 1024 bytes"),
        ({"events": {}}, "events: must be an array"),
        ({"events": "none"}, "is not JSON"),
        ({"events": 7}, "events: must be an array"),
        ({"events": [make_event(), 7]}, "events[1]: is not an object"),
        ({"events": [make_event(timestamp="2026-12-01T00:00:00Z")]}, "events[0].timestamp: must be a number"),
        ({"events": [make_event(author=7)]}, "events[0].author: must be text"),
        ({"events": [make_event(actions=[])]}, "events[0].actions: must be an object"),
        ({"events": [make_event(finishReason="A", finish_reason="A")]}, "events[0].finishReason: is given in both"),
        (
            {"events": [make_event(content={"parts": [{"inlineData": {"data": "no base64!"}}]})]},
            "events[0].content.parts[0].inlineData.data: is not base64",
        ),
        ({"lastUpdateTime": "2026-12-01T00:00:00Z"}, "lastUpdateTime: must be a number of seconds"),
        ({"lastUpdateTime": True}, "lastUpdateTime: must be a number of seconds"),
        ({"lastUpdateTime": 10**400}, "lastUpdateTime: is too large"),
    ],
)
def test_a_wrong_field_refuses_the_session_by_its_path(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    assert reason in refusal_of(tmp_path, make_session(**fields))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"price": NaN}', "state.price: is not a number"),
        ('{"price": 1e400}', "state.price: is not a number"),
        ('{"a": "\\u0000"}', "state.a: holds U+0000"),
        ('{"a": ["\\ud800"]}', "state.a[0]: holds the lone surrogate U+D800"),
        ('{"a": ' + "[" * 1000 + "]" * 1000 + "}", "levels deep"),
        ('{"a": ' + "9" * 5000 + "}", "state.a: is a number of more than"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_its_path(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal_of(tmp_path, _with_state(text))


def _with_state(text: str) -> str:
    return json.dumps(make_session(state="STATE")).replace('"STATE"', text)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"eval_set_id": "x", "eval_cases": []}, "is an eval set, not a session"),
        ({"evalSetId": "x", "evalCases": []}, "is an eval set, not a session"),
        ({"eval_id": "x", "conversation": []}, "is an eval case, not a session"),
        ([{"query": "hello", "expected_tool_use": [], "reference": ""}], "is an eval case of the old form"),
        ({"eval_set_result_id": "x", "eval_case_results": []}, "is the result of an eval set"),
        ({"state": {}, "queries": ["hello"]}, "is a list of queries for `adk run --replay`"),
        ({"name": "reasoningEngines/1/sessions/2", "sessionState": {}}, "is a session resource of Vertex AI"),
        ({"sessions": []}, "is a list of sessions as an API answers it"),
        (make_event(), "is a single event, not a session"),
        ({"id": "s1", "appName": "shop", "userId": "ana"}, "has neither events nor state"),
        ({}, "has neither events nor state"),
    ],
)
def test_what_is_no_session_is_refused_by_its_name(tmp_path: Path, content: Any, reason: str) -> None:
    assert reason in refusal_of(tmp_path, content)


def test_names_that_are_not_known_are_ignored_and_reported(tmp_path: Path) -> None:
    content = {**with_events(make_event()), "mocks": {"a": 1}, "queries": ["a"]}
    assert notes_of(tmp_path, content).splitlines() == [
        "ignored the unknown field 'mocks'",
        "ignored the unknown field 'queries'",
    ]


def test_a_session_without_an_id_gets_one_from_its_content(tmp_path: Path) -> None:
    def id_of(content: dict[str, Any], **options: str) -> str:
        found = read_one(tmp_path, {name: content[name] for name in content if name != "id"}, **options)
        assert any("no session id" in note for note in found.notes)
        return record_of(found).key.session_id

    made = id_of(with_events(make_event()))
    assert made == id_of(with_events(make_event()), name="copy.json")
    others = [
        id_of(with_events(make_event(author="model"))),
        id_of(with_events(make_event(), state={"a": 1})),
        id_of(with_events(make_event()), app_name="zoo"),
        id_of(with_events(make_event()), user_id="bo"),
    ]
    assert len({made, *others}) == 5


def test_an_event_without_an_id_gets_one_from_its_content_and_position(tmp_path: Path) -> None:
    content = with_events(make_event(None), make_event(None), make_event("e3"), make_event(None, author="model"))
    found = read_one(tmp_path, content)
    events = list(record_of(found).events)
    assert len({event.event_id for event in events}) == 4
    assert [event.event_id for event in record_of(read_one(tmp_path, content)).events] == [e.event_id for e in events]
    assert [EventFlag.MADE_ID in event.flags for event in events] == [True, True, False, True]
    assert "id" not in events[0].payload
    assert "3 events have no id" in "\n".join(found.notes)


def test_events_without_a_timestamp_take_over_the_last_one_seen(tmp_path: Path) -> None:
    events = [make_event(f"e{number}", timestamp=time) for number, time in enumerate([None, 7.5, None, 9.5, None])]
    found = read_one(tmp_path, with_events(*events, lastUpdateTime=20.5))
    assert [event.timestamp for event in record_of(found).events] == [20.5, 7.5, 7.5, 9.5, 9.5]
    assert "3 events have no timestamp" in "\n".join(found.notes)
    assert all("timestamp" not in event.payload for event in list(record_of(found).events)[::2])


def test_events_of_a_file_without_any_time_happen_now(tmp_path: Path) -> None:
    record = record_of(read_one(tmp_path, with_events(make_event(timestamp=None))))
    assert [event.timestamp for event in record.events] == [NOW]
    assert (record.create_time, record.update_time) == (None, None)


def test_times_of_the_session_are_those_of_the_file(tmp_path: Path) -> None:
    events = [make_event("e1", timestamp=50.5), make_event("e2", timestamp=70.5), make_event("e3", timestamp=60.5)]
    plain = record_of(read_one(tmp_path, with_events(*events)))
    assert (plain.create_time, plain.update_time) == (50.5, 70.5)
    dated = record_of(read_one(tmp_path, with_events(*events, lastUpdateTime=60.5)))
    assert (dated.create_time, dated.update_time) == (50.5, 60.5)
    empty = record_of(read_one(tmp_path, with_events(lastUpdateTime=60.5)))
    assert (empty.create_time, empty.update_time) == (60.5, 60.5)


def test_times_that_go_backwards_are_reported_once_and_keep_their_order(tmp_path: Path) -> None:
    events = [make_event(f"e{number}", timestamp=time) for number, time in enumerate([5.5, 9.5, 7.5, 6.5])]
    found = read_one(tmp_path, with_events(*events))
    assert [event.timestamp for event in record_of(found).events] == [5.5, 9.5, 7.5, 6.5]
    assert found.notes == ("timestamps go backwards, first at events[2]: the order of the file was kept",)


def test_an_event_id_that_came_before_is_skipped_and_reported(tmp_path: Path) -> None:
    events = [make_event("e1"), make_event("e2"), make_event("e1"), make_event("e2", author="model")]
    found = read_one(tmp_path, with_events(*events))
    assert [event.event_id for event in record_of(found).events] == ["e1", "e2"]
    assert found.notes == (
        "1 events skipped whose id came before, with the same content",
        "1 events skipped whose id came before, with other content",
    )


def test_partial_events_are_skipped_and_reported(tmp_path: Path) -> None:
    events = [make_event("e1", partial=True), make_event("e1"), make_event("e2", partial=False)]
    found = read_one(tmp_path, with_events(*events))
    assert [event.event_id for event in record_of(found).events] == ["e1", "e2"]
    assert found.notes == ("1 partial events skipped",)


def test_events_without_an_author_are_reported(tmp_path: Path) -> None:
    assert "1 events name no author" in notes_of(tmp_path, with_events(make_event(author=None)))


def test_temp_and_shared_keys_are_counted_and_not_named(tmp_path: Path) -> None:
    event = make_event(actions={"stateDelta": {"temp:card": 1, "user:lang": "nb", "step": 1}})
    notes = notes_of(tmp_path, with_events(event, state={"temp:x": 1, "app:motd": "hi", "step": 1}))
    assert "1 events whose temp: keys were dropped" in notes
    assert "1 events write keys of app: or user:" in notes
    assert "1 temp: keys of the state dropped" in notes
    assert "card" not in notes


def test_shared_keys_of_the_state_alone_are_counted(tmp_path: Path) -> None:
    assert "2 keys of the state are of app: or user:" in notes_of(
        tmp_path, make_session(state={"app:motd": "hi", "user:lang": "nb", "step": 1})
    )


def test_what_the_deltas_leave_behind_is_known(tmp_path: Path) -> None:
    removal = make_event("e3", author="operator:kim", customMetadata={"statecore": {"removed": ["b"]}})
    events = [
        make_event("e1", actions={"stateDelta": {"a": 1, "b": 1}}),
        make_event("e2", actions={"state_delta": {"a": None}}),
        removal,
    ]
    record = record_of(read_one(tmp_path, with_events(*events)))
    assert record.written == {"a": None, "b": REMOVED}
    last = list(record.events)[-1]
    assert (last.author, EventFlag.IS_EDIT in last.flags) == ("operator:kim", True)
    assert all(EventFlag.IS_IMPORTED in event.flags for event in record.events)


def test_large_lists_of_events_are_read_again_each_time(tmp_path: Path) -> None:
    events = [make_event(f"e{number}", output="x" * 1_000_000) for number in range(18)]
    record = record_of(read_one(tmp_path, with_events(*events, make_event("e1"))))
    assert [event.event_id for event in record.events] == [f"e{number}" for number in range(18)]
    assert len(list(record.events)) == 18


def test_absent_and_null_state_leave_the_fold_final(tmp_path: Path) -> None:
    for content in ({**with_events(), "state": None}, {"id": "a", "appName": "b", "userId": "c", "events": []}):
        assert record_of(read_one(tmp_path, content)).state is None
    only_state = record_of(read_one(tmp_path, {"id": "a", "appName": "b", "userId": "c", "state": {"a": 1}}))
    assert (only_state.state, list(only_state.events)) == ({"a": 1}, [])
    no_events = record_of(read_one(tmp_path, make_session(events=None, state={"a": 1})))
    assert (no_events.state, list(no_events.events)) == ({"a": 1}, [])


def test_json_inside_strings_is_read_at_every_level(tmp_path: Path) -> None:
    content = with_events(json.dumps(make_event()), state=json.dumps({"a": 1}))
    content["events"] = json.dumps(content["events"])
    record = record_of(read_one(tmp_path, json.dumps(json.dumps(content))))
    assert record.state == {"a": 1}
    assert [event.event_id for event in record.events] == ["e1"]


def test_the_name_that_the_web_ui_keeps_in_the_state_is_shown(tmp_path: Path) -> None:
    state = {"__session_metadata__": {"displayName": "Tea order"}}
    assert record_of(read_one(tmp_path, make_session(state=state))).display_name == "Tea order"
    for odd in ({}, {"displayName": 7}, {"displayName": "x" * 501}, None):
        assert record_of(read_one(tmp_path, make_session(state={"__session_metadata__": odd}))).display_name == ""
