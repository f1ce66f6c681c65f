from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from statecore.core.errors import EventExistsError, SessionNotFoundError, StaleSessionError
from statecore.core.events import EventFlag, EventKind
from statecore.core.jsontext import json_equal
from tests.builders import START, append, create, make_event, make_key, read
from tests.strategies import json_values

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
EXACT = '{"z":[9007199254740993,1000000000000000000000000000000,0.30000000000000004,-0.0,1e+308,1e-320],"a":1}'


def test_appended_event_is_the_one_that_is_read(store: SessionStore) -> None:
    session = create(store)
    event = make_event(
        event_id="e1",
        author="user",
        invocationId="i1",
        content={"parts": [{"text": "hi"}]},
        errorCode="E",
        timestamp=START,
    )
    appended = append(store, session, event)
    stored = appended.event
    assert (appended.session_id, appended.revision, appended.is_repeat, stored.seq) == (session.id, 1, False, 1)
    assert (stored.event_id, stored.author, stored.invocation_id, stored.timestamp) == ("e1", "user", "i1", START)
    assert (stored.kind, stored.flags) == (EventKind.MESSAGE, EventFlag.HAS_ERROR)
    assert read(store, session).events == (stored,)


def test_answer_tells_the_session_as_it_is_after_the_append(store: SessionStore) -> None:
    session = create(store)
    for _ in range(3):
        appended = append(store, session, make_event(timestamp=START))
        found = read(store, session)
        assert (appended.revision, appended.update_time) == (found.revision, found.update_time)


def test_append_to_a_missing_session_is_refused(store: SessionStore) -> None:
    key = create(store).key
    for missing in (make_key(), make_key(app_name=key.app_name, user_id="bob")):
        with pytest.raises(SessionNotFoundError) as caught:
            append(store, missing)
        assert caught.value.key == missing


def test_payload_comes_back_as_the_text_it_was(store: SessionStore) -> None:
    session = create(store)
    event = make_event(output=[EXACT, "\u2028 é 👩‍🚀 \\u0041 \x01"], unknownField={"b": 1, "a": None})
    append(store, session, event)
    assert read(store, session).events[0].payload_json == event.payload_json


@settings(max_examples=40)
@given(json_values(), json_values())
def test_any_json_survives_in_payload_and_state(store: SessionStore, value: Any, shared: Any) -> None:
    session = create(store, state={"base": value})
    append(store, session, make_event(delta={"key": value, "user:key": shared}, output=shared))
    found = read(store, session)
    assert json_equal(found.state, {"base": value, "key": value, "user:key": shared})
    assert json_equal(found.events[0].payload.get("output"), shared)


def test_long_text_is_stored(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(errorMessage="x" * 200_000, delta={"log": "y" * 200_000}))
    found = read(store, session)
    assert len(found.events[0].payload["errorMessage"]) == len(found.state["log"]) == 200_000


@pytest.mark.parametrize(
    "timestamp", [0.0, -1.0, -62135596800.5, 253402300800.0, 1e15, 1.7976931348623157e308, 0.1 + 0.2]
)
def test_timestamp_is_kept_as_the_number_it_was(store: SessionStore, timestamp: float) -> None:
    session = create(store)
    append(store, session, make_event(timestamp=START), make_event(timestamp=timestamp), make_event(timestamp=START))
    found = read(store, session)
    assert [(event.seq, event.timestamp) for event in found.events] == [(1, START), (2, timestamp), (3, START)]


def test_update_time_is_the_greatest_timestamp_so_far(store: SessionStore) -> None:
    session = create(store, now=NOON)
    times = [append(store, session, make_event(timestamp=stamp)).update_time for stamp in (1.0, START + 5, START, 9e12)]
    assert times == [NOON.timestamp(), START + 5, START + 5, 9e12]
    assert read(store, session).update_time == 9e12


def test_receive_time_is_the_servers_and_never_goes_back(store: SessionStore) -> None:
    session = create(store, now=NOON)
    later, earlier = NOON + timedelta(minutes=2), NOON + timedelta(minutes=1)
    answers = [append(store, session, make_event(timestamp=1.0), now=now) for now in (later, earlier)]
    found = read(store, session, now=later)
    assert [event.receive_time for event in found.events] == [later, later]
    assert [answer.event.receive_time for answer in answers] == [later, later]
    assert found.receive_time == later
    assert found.create_time == NOON


def test_errors_and_edits_are_counted(store: SessionStore) -> None:
    session = create(store)
    error, edit = make_event(errorCode="E"), make_event(author="operator:kim", is_imported=True)
    append(store, session, error, make_event(), edit)
    store.append_events(session.key, [make_event(errorMessage="no"), make_event(), make_event()])
    found = read(store, session)
    assert (found.error_count, found.edit_count, found.revision) == (2, 1, 6)


def test_expected_revision_that_is_right_is_accepted(store: SessionStore) -> None:
    session = create(store)
    assert [append(store, session, expected_revision=revision).revision for revision in (0, 1, 2)] == [1, 2, 3]


@pytest.mark.parametrize("expected", [0, 1, 3, -1, 2**31, -(2**40), 2**63, 2**70])
def test_expected_revision_that_is_wrong_is_refused_and_nothing_is_written(store: SessionStore, expected: int) -> None:
    session = create(store, state={"step": 0, "user:step": 0})
    append(store, session, make_event(), make_event())
    before = read(store, session)
    with pytest.raises(StaleSessionError) as caught:
        append(store, session, make_event(delta={"step": 1, "user:step": 1}), expected_revision=expected)
    assert (caught.value.expected, caught.value.found) == (expected, 2)
    assert read(store, session) == before


def test_same_event_again_is_stored_once(store: SessionStore) -> None:
    session = create(store)
    event = make_event(event_id="e1", delta={"user:n": 1})
    first = append(store, session, event)
    append(store, session, make_event(delta={"user:n": 2}))
    again = append(store, session, event)
    assert (again.event, again.is_repeat, again.revision) == (first.event, True, 2)
    found = read(store, session)
    assert (found.revision, found.state) == (2, {"user:n": 2})


def test_same_event_with_keys_in_another_order_is_the_same(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(event_id="e1", output={"a": 1, "b": [1.0]}, branch="x"))
    again = append(store, session, make_event(event_id="e1", branch="x", output={"b": [1.0], "a": 1}))
    assert again.is_repeat


def test_same_event_is_answered_whatever_the_revision(store: SessionStore) -> None:
    session = create(store)
    event = make_event(event_id="e1")
    first = append(store, session, event, expected_revision=0)
    append(store, session)
    for expected in (0, 1, 2, 9):
        again = append(store, session, event, expected_revision=expected)
        assert (again.is_repeat, again.event, again.revision) == (True, first.event, 2)


@pytest.mark.parametrize("output", [1, 1.0, True, None, "1", [1]])
def test_known_id_with_another_body_is_refused_and_nothing_is_written(store: SessionStore, output: Any) -> None:
    session = create(store)
    append(store, session, make_event(), make_event(event_id="e1", output=2), make_event())
    before = read(store, session)
    for expected in (None, 0, 3):
        with pytest.raises(EventExistsError) as caught:
            append(store, session, make_event(event_id="e1", output=output), expected_revision=expected)
        assert (caught.value.event_id, caught.value.seq) == ("e1", 2)
    assert read(store, session) == before


def test_missing_session_is_told_before_a_known_event(store: SessionStore) -> None:
    session = create(store)
    event = make_event(event_id="e1")
    append(store, session, event)
    store.delete_session(session.key, rule="person", actor="operator:kim")
    with pytest.raises(SessionNotFoundError):
        append(store, session, event, expected_revision=7)


def test_event_ids_are_taken_in_one_session_only(store: SessionStore) -> None:
    first = create(store)
    second = create(store, make_key(app_name=first.key.app_name, session_id="other"))
    for session in (first, second):
        assert not append(store, session, make_event(event_id="e1", output=session.id)).is_repeat


def test_seq_has_no_gap_after_refused_appends(store: SessionStore) -> None:
    session = create(store)
    append(store, session, make_event(event_id="e1"))
    with pytest.raises(StaleSessionError):
        append(store, session, expected_revision=9)
    with pytest.raises(EventExistsError):
        append(store, session, make_event(event_id="e1", output=1))
    append(store, session, make_event(event_id="e1"), make_event())
    assert [event.seq for event in read(store, session).events] == [1, 2]


def test_many_events_are_appended_in_their_order(store: SessionStore) -> None:
    session = create(store)
    append(store, session)
    events = [make_event(delta={"n": n, f"k{n}": n, "user:n": -n}, timestamp=START - n) for n in range(600)]
    assert store.append_events(session.key, events) == 601
    found = read(store, session)
    assert [event.event_id for event in found.events[1:]] == [event.event_id for event in events]
    assert [event.seq for event in found.events] == list(range(1, 602))
    assert (found.revision, found.state["n"], found.state["user:n"], len(found.state)) == (601, 599, -599, 602)
    assert found.update_time == max(session.update_time, START)
    at = store.get_state_at(session.key, 301)
    assert at is not None
    assert (at.session["n"], at.user["n"], len(at.session)) == (299, -299, 301)


def test_many_events_are_as_if_appended_one_by_one(store: SessionStore) -> None:
    events = [
        make_event(delta={"a": 1, "user:b": [1], "app:c": None}, errorCode="E"),
        make_event(delta={"a": 2}, removes=("user:b",), author="operator:kim", is_imported=True),
        make_event(delta={"user:b": {}}, removes=("a", "app:c", "never"), timestamp=9e12),
    ]
    one, many = create(store, now=NOON), create(store, now=NOON)
    append(store, one, *events, now=NOON)
    store.append_events(many.key, events, now=NOON)
    left, right = read(store, one, now=NOON), read(store, many, now=NOON)
    assert left.events == right.events
    assert (left.state, left.update_time, left.error_count, left.edit_count) == (
        right.state,
        right.update_time,
        right.error_count,
        right.edit_count,
    )
    for name in ("a", "never"):
        histories = [[entry.change for entry in store.list_history(each.key, name)] for each in (one, many)]
        assert histories[0] == histories[1] != []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_many_events_with_a_known_id_are_refused_whole(store: SessionStore, place: int) -> None:
    session = create(store)
    known = make_event(event_id="e1")
    append(store, session, known)
    before = read(store, session)
    events = [make_event(delta={"a": 1, "app:a": 1}), make_event()]
    events.insert(place, known)
    with pytest.raises(EventExistsError) as caught:
        store.append_events(session.key, events)
    assert (caught.value.event_id, caught.value.seq) == ("e1", 1)
    assert read(store, session) == before


def test_many_events_with_one_id_twice_are_refused_whole(store: SessionStore) -> None:
    session = create(store)
    events = [make_event(), make_event(event_id="twice"), make_event(), make_event(event_id="twice", output=1)]
    with pytest.raises(EventExistsError) as caught:
        store.append_events(session.key, events)
    assert caught.value.event_id == "twice"
    assert read(store, session).revision == 0


def test_many_events_to_a_missing_session_are_refused(store: SessionStore) -> None:
    with pytest.raises(SessionNotFoundError):
        store.append_events(make_key(), [make_event()])


def test_no_events_at_all_leave_the_session_as_it_is(store: SessionStore) -> None:
    session = create(store)
    append(store, session)
    before = read(store, session)
    assert store.append_events(session.key, []) == 1
    assert read(store, session) == before
    with pytest.raises(SessionNotFoundError):
        store.append_events(make_key(), [])
