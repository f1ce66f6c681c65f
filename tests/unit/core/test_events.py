from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.delta import StateDelta
from statecore.core.errors import InvalidIdError, InvalidInputError, NotJsonError, TooLargeError
from statecore.core.events import Event, EventFlag, EventKind, StoredEvent, classify_event, parse_event
from statecore.core.jsontext import json_equal, parse_json
from statecore.core.limits import Limits
from statecore.core.spelling import EVENT
from tests.strategies import json_values, state_keys, texts

NOW = 1796079885.5


def parsed(payload: dict[str, Any], **options: Any) -> Event:
    return parse_event(payload, new_id=lambda: "made-id", now=NOW, **options)


def stored(event: Event) -> StoredEvent:
    return StoredEvent(
        seq=1,
        event_id=event.event_id,
        invocation_id=event.invocation_id,
        author=event.author,
        timestamp=event.timestamp,
        receive_time=datetime(2026, 12, 1, tzinfo=UTC),
        payload_json=event.payload_json,
        kind=event.kind,
        flags=event.flags,
    )


def test_event_keeps_what_was_sent_in_canonical_spelling_and_order() -> None:
    payload = {"new_field": 1, "invocation_id": "i", "id": "e1", "author": "bot", "timestamp": 5, "content": {}}
    event = parsed(payload)
    assert event.payload_json == (
        '{"new_field":1,"invocationId":"i","id":"e1","author":"bot","timestamp":5,"content":{}}'
    )
    assert (event.event_id, event.invocation_id, event.author, event.timestamp) == ("e1", "i", "bot", 5.0)
    assert event.flags == EventFlag(0)


def test_event_without_id_time_and_author_gets_them_beside_its_payload() -> None:
    event = parsed({"content": {}})
    assert (event.event_id, event.timestamp, event.author, event.invocation_id) == ("made-id", NOW, "", "")
    assert event.flags == EventFlag.MADE_ID | EventFlag.MADE_TIMESTAMP | EventFlag.MADE_AUTHOR
    assert event.payload == {"content": {}}


@pytest.mark.parametrize("event_id", [None, ""])
def test_event_whose_id_is_empty_gets_one(event_id: str | None) -> None:
    event = parsed({"id": event_id, "author": None, "timestamp": None})
    assert event.event_id == "made-id"
    assert event.payload == {"id": event_id, "author": None, "timestamp": None}


def test_stored_event_is_completed_with_what_was_made() -> None:
    assert stored(parsed({"output": 1, "author": None})).as_json() == {
        "output": 1,
        "author": "",
        "id": "made-id",
        "timestamp": NOW,
    }


def test_stored_event_that_lacks_nothing_is_its_payload() -> None:
    event = stored(parsed({"id": "e1", "timestamp": 5, "author": "bot"}))
    assert event.as_json() == event.payload == {"id": "e1", "timestamp": 5, "author": "bot"}


@pytest.mark.parametrize("timestamp", [0, -1.5, 253402300800, 1e300, 1796079885.015115])
def test_timestamp_may_be_any_number(timestamp: float) -> None:
    assert parsed({"timestamp": timestamp}).timestamp == timestamp


def test_timestamp_that_no_float_holds_is_kept_exactly_in_the_payload() -> None:
    text = '{"timestamp":1796079885.0151151234567890123}'
    event = parsed(parse_json(text))
    assert event.payload_json == text
    assert event.timestamp == 1796079885.0151151
    assert stored(event).as_json()["timestamp"] == Decimal("1796079885.0151151234567890123")


@pytest.mark.parametrize("timestamp", ["2026-12-01T00:00:00Z", True, [], {}])
def test_timestamp_that_is_no_number_is_refused(timestamp: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^e\.timestamp: must be a number of seconds since 1970"):
        parsed({"timestamp": timestamp}, path="e")


def test_timestamp_beyond_every_float_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"event\.timestamp: is too large"):
        parsed({"timestamp": 10**400})


@pytest.mark.parametrize(
    ("payload", "path", "error"),
    [
        ({"id": 5}, "event.id", InvalidIdError),
        ({"id": "a\nb"}, "event.id", InvalidIdError),
        ({"id": "x" * 129}, "event.id", InvalidIdError),
        ({"author": 5}, "event.author", InvalidInputError),
        ({"author": "x" * 257}, "event.author", InvalidInputError),
        ({"invocationId": []}, "event.invocationId", InvalidInputError),
        ({"actions": "none"}, "event.actions", InvalidInputError),
        ({"actions": {"state_delta": [1]}}, "event.actions.stateDelta", InvalidInputError),
        ({"actions": {"stateDelta": {"a": [float("nan")]}}}, "event.actions.stateDelta.a[0]", NotJsonError),
        ({"content": {"parts": [{"text": "\0"}]}}, "event.content.parts[0].text", NotJsonError),
        ({"customMetadata": "x"}, "event.customMetadata", InvalidInputError),
        ({"invocation_id": "a", "invocationId": "a"}, "event.invocationId", InvalidInputError),
    ],
)
def test_fault_in_an_event_is_refused_by_path(payload: dict[str, Any], path: str, error: type[Exception]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parsed(payload)
    assert caught.value.path == path
    assert type(caught.value) is error


@pytest.mark.parametrize("payload", [[], "text", 5, None])
def test_event_that_is_no_object_is_refused(payload: Any) -> None:
    with pytest.raises(InvalidInputError, match="event: must be an object"):
        parsed(cast("dict[str, Any]", payload))


def test_texts_of_an_event_may_be_long_to_their_limit() -> None:
    assert parsed({"author": "x" * 256, "errorMessage": "y" * 200_000}).author == "x" * 256


def test_delta_is_taken_from_either_spelling() -> None:
    delta = {"cart": ["tea"], "user:lang": None, "app:temp:x": 1}
    assert parsed({"actions": {"stateDelta": delta}}).delta == StateDelta(delta)
    assert parsed({"actions": {"state_delta": delta}}).delta == StateDelta(delta)


@pytest.mark.parametrize("actions", [None, {}, {"stateDelta": None}, {"stateDelta": {}}])
def test_event_without_changes_has_no_delta(actions: Any) -> None:
    assert not parsed({"actions": actions}).delta


def test_temp_keys_leave_the_payload_and_the_delta() -> None:
    payload = {"actions": {"escalate": True, "stateDelta": {"temp:draft": 1, "step": 2}}, "author": "bot"}
    event = parsed(payload)
    assert event.temp == {"temp:draft": 1}
    assert event.delta == StateDelta({"step": 2})
    assert event.payload == {"actions": {"escalate": True, "stateDelta": {"step": 2}}, "author": "bot"}
    assert payload["actions"] == {"escalate": True, "stateDelta": {"temp:draft": 1, "step": 2}}


@given(st.dictionaries(state_keys(), json_values(max_leaves=3), max_size=5))
def test_every_key_of_a_delta_is_stored_or_temp(values: dict[str, Any]) -> None:
    event = parsed({"actions": {"stateDelta": values}})
    assert not event.delta.removed
    assert json_equal({**event.delta.values, **event.temp}, values)
    assert all(key.startswith("temp:") for key in event.temp)
    assert json_equal(event.payload["actions"]["stateDelta"], dict(event.delta.values))


def test_delta_of_too_many_keys_is_refused() -> None:
    limits = Limits(delta_keys=2)
    assert len(parsed({"actions": {"stateDelta": {"a": 1, "b": 2}}}, limits=limits).delta) == 2
    with pytest.raises(TooLargeError, match=r"event\.actions\.stateDelta: has 3 keys; at most 2 are allowed"):
        parsed({"actions": {"stateDelta": {"a": 1, "b": 2, "c": 3}}}, limits=limits)


def test_key_that_is_too_long_is_refused_by_its_beginning() -> None:
    limits = Limits(key_length=60)
    assert parsed({"actions": {"stateDelta": {"k" * 60: 1}}}, limits=limits).delta
    with pytest.raises(TooLargeError, match="is longer than 60 bytes") as caught:
        parsed({"actions": {"stateDelta": {"k" * 61: 1}}}, limits=limits)
    assert caught.value.path == f"event.actions.stateDelta.{'k' * 40}..."


def test_length_of_a_key_is_that_of_its_bytes_also_where_it_is_removed() -> None:
    limits = Limits(key_length=60)
    for key, is_fine in (("😀" * 15, True), ("😀" * 16, False)):
        set_by = {"actions": {"stateDelta": {key: 1}}}
        removed_by = {"customMetadata": {"statecore": {"removed": [key]}}}
        for payload in (set_by, removed_by):
            if is_fine:
                assert parsed(payload, limits=limits, is_imported=True).delta
            else:
                with pytest.raises(TooLargeError, match="is longer than 60 bytes"):
                    parsed(payload, limits=limits, is_imported=True)


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"author": "operator:mia"}, "event.author"),
        ({"custom_metadata": {"statecore": {}}}, "event.customMetadata.statecore"),
        ({"customMetadata": {"statecore": None}}, "event.customMetadata.statecore"),
    ],
)
def test_marks_of_peoples_edits_are_refused_from_callers(payload: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInputError, match="reserved for people's edits") as caught:
        parsed(payload)
    assert caught.value.path == path


def test_metadata_of_callers_own_is_kept() -> None:
    assert parsed({"author": "operators", "customMetadata": {"trace": 1}}).flags == (
        EventFlag.MADE_ID | EventFlag.MADE_TIMESTAMP
    )


def test_imported_edit_keeps_its_author_its_removals_and_is_marked() -> None:
    ours = {"statecore": {"removed": ["cart", "temp:x"], "reason": "typo"}}
    payload = {"id": "e1", "timestamp": 1, "author": "operator:mia", "customMetadata": ours}
    event = parsed(payload, is_imported=True)
    assert event.flags == EventFlag.IS_IMPORTED | EventFlag.IS_EDIT
    assert event.delta == StateDelta({}, ("cart",))
    assert event.payload == payload


@pytest.mark.parametrize("ours", [None, "text", {}, {"removed": None}])
def test_imported_event_may_lack_removals(ours: Any) -> None:
    event = parsed({"author": "bot", "customMetadata": {"statecore": ours}}, is_imported=True)
    assert not event.delta
    assert EventFlag.IS_EDIT not in event.flags


@pytest.mark.parametrize("removed", ["cart", [1], {"cart": 1}])
def test_imported_removals_that_are_no_keys_are_refused(removed: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"customMetadata\.statecore\.removed: must be a list of keys"):
        parsed({"customMetadata": {"statecore": {"removed": removed}}}, is_imported=True)


def test_imported_key_that_is_set_and_removed_is_refused() -> None:
    payload = {"actions": {"stateDelta": {"a": 1}}, "customMetadata": {"statecore": {"removed": ["a"]}}}
    with pytest.raises(InvalidInputError, match="both set and removed"):
        parsed(payload, is_imported=True)


@pytest.mark.parametrize(
    ("payload", "has_error"),
    [({"errorCode": "E"}, True), ({"error_message": "m"}, True), ({"errorCode": "", "errorMessage": None}, False)],
)
def test_event_with_an_error_is_marked(payload: dict[str, Any], has_error: bool) -> None:
    assert (EventFlag.HAS_ERROR in parsed(payload).flags) is has_error


@pytest.mark.parametrize(("partial", "is_partial"), [(True, True), (False, False), (None, False), ("true", False)])
def test_event_is_partial_only_where_it_says_true(partial: Any, is_partial: bool) -> None:
    assert parsed({"partial": partial}).is_partial is is_partial


@pytest.mark.parametrize(
    ("canonical", "kind"),
    [
        ({"content": {"parts": [{"text": "hi"}]}}, EventKind.MESSAGE),
        ({"content": {"parts": [{"text": "hi"}, {"functionCall": {}}]}}, EventKind.CALL),
        ({"content": {"parts": [{"toolCall": {}}]}}, EventKind.CALL),
        ({"content": {"parts": [{"functionResponse": {}}]}}, EventKind.RESPONSE),
        ({"content": {"parts": [{"toolResponse": {}}]}}, EventKind.RESPONSE),
        ({"content": {"parts": [{"text": "hi"}]}, "actions": {"transferToAgent": "b"}}, EventKind.TRANSFER),
        ({"output": 0, "actions": {"stateDelta": {"a": 1}}}, EventKind.OUTPUT),
        ({"actions": {"stateDelta": {"a": 1}}}, EventKind.STATE),
        ({"actions": {"stateDelta": {}}}, EventKind.OTHER),
        ({}, EventKind.OTHER),
        ({"content": "text", "actions": []}, EventKind.OTHER),
        ({"content": {"parts": "text"}}, EventKind.OTHER),
        ({"content": {"parts": ["text", {}]}}, EventKind.OTHER),
    ],
)
def test_event_is_the_main_thing_that_it_holds(canonical: dict[str, Any], kind: EventKind) -> None:
    assert classify_event(canonical) is kind


@given(st.dictionaries(st.sampled_from(sorted(EVENT.table)) | texts(), json_values(max_leaves=5), max_size=6))
def test_any_object_is_an_event_or_refused_by_path(payload: dict[str, Any]) -> None:
    try:
        event = parsed(payload)
    except InvalidInputError as error:
        path = error.path
    else:
        path = "event"
        assert len(event.payload) == len(payload)
    assert path.startswith("event")
