from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.delta import REMOVED, ChangeKind
from statecore.core.events import EventFlag
from statecore.core.expiry import DEFAULT_TTL
from statecore.core.ids import OwnerKey
from statecore.core.jsontext import dump_json
from statecore.core.sessions import ExpireRule
from statecore.models import Audit, Event, Owner, State, StateChange
from tests.integration.imports import STORE, import_json, import_one, stored
from tests.unit.interop.texts import make_event, make_session

if TYPE_CHECKING:
    from pathlib import Path

    from statecore.core.sessions import Session

pytestmark = pytest.mark.django_db

SHARED = "--with-shared-state"


def with_deltas(*deltas: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A session whose events write these deltas."""
    events = [make_event(f"e{n}", actions={"stateDelta": delta}) for n, delta in enumerate(deltas, 1)]
    return make_session(**{"events": events, **fields})


def history(session: Session, key: str) -> list[tuple[int, ChangeKind, Any]]:
    entries = STORE.list_history(session.key, key)
    return [(entry.change.seq, entry.change.kind, entry.change.value) for entry in reversed(entries)]


def shared_state(session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    app, user = session.key.app_name, session.key.user_id
    return dict(STORE.get_owner_state(OwnerKey(app)).state), dict(STORE.get_owner_state(OwnerKey(app, user)).state)


def state_at(session: Session, seq: int) -> dict[str, Any]:
    found = STORE.get_state_at(session.key, seq)
    assert found is not None
    return dict(found.session)


def test_keys_that_no_event_writes_are_the_baseline(tmp_path: Path) -> None:
    session = import_one(tmp_path, with_deltas({"a": 1}, {"a": 2}, state={"a": 2, "b": None, "": "x"}))
    assert state_at(session, 0) == {"b": None, "": "x"}
    assert state_at(session, 1) == {"a": 1, "b": None, "": "x"}
    assert session.state == {"a": 2, "b": None, "": "x"}
    assert history(session, "b") == [(0, ChangeKind.BASELINE, None)]


def test_where_the_fold_differs_from_the_final_state_a_correction_sets_it(tmp_path: Path) -> None:
    session = import_one(tmp_path, with_deltas({"a": 1, "b": 1, "c": 1}, state={"a": 1, "b": 1.0}))
    assert session.state == {"a": 1, "b": 1.0}
    assert history(session, "a") == [(1, ChangeKind.EVENT, 1)]
    assert [(seq, kind, repr(value)) for seq, kind, value in history(session, "b")] == [
        (1, ChangeKind.EVENT, "1"),
        (1, ChangeKind.IMPORT_CORRECTION, "1.0"),
    ]
    assert history(session, "c")[-1] == (1, ChangeKind.IMPORT_CORRECTION, REMOVED)
    assert session.revision == 1


def test_without_a_state_the_fold_is_final(tmp_path: Path) -> None:
    session = import_one(tmp_path, with_deltas({"a": 1}, {"b": 2}, state=None))
    assert session.state == {"a": 1, "b": 2}
    assert {kind for key in "ab" for _, kind, _ in history(session, key)} == {ChangeKind.EVENT}


def test_removals_of_operators_are_applied(tmp_path: Path) -> None:
    metadata = {"statecore": {"removed": ["a"], "reason": "wrong", "operator": "kim"}}
    content = with_deltas({"a": 1, "b": 1}, state={"b": 1})
    content["events"].append(make_event("e2", author="operator:kim", customMetadata=metadata))
    session = import_one(tmp_path, content)
    assert history(session, "a") == [(1, ChangeKind.EVENT, 1), (2, ChangeKind.EVENT, REMOVED)]
    last = session.events[-1]
    assert (last.author, last.payload["customMetadata"]) == ("operator:kim", metadata)
    assert last.flags & (EventFlag.IS_EDIT | EventFlag.IS_IMPORTED) == EventFlag.IS_EDIT | EventFlag.IS_IMPORTED
    assert session.edit_count == 1


def test_shared_keys_stay_in_payloads_and_change_nothing(tmp_path: Path) -> None:
    content = with_deltas({"user:lang": "nb", "app:motd": "hi", "a": 1}, state={"user:lang": "nb", "app:x": 1, "a": 1})
    session = import_one(tmp_path, content)
    assert session.state == {"a": 1}
    assert shared_state(session) == ({}, {})
    assert session.events[0].payload["actions"]["stateDelta"] == {"user:lang": "nb", "app:motd": "hi", "a": 1}


def test_shared_keys_become_changes_when_asked_for(tmp_path: Path) -> None:
    deltas = {"user:lang": "nb", "app:gone": 1, "a": 1}, {"user:lang": "en"}
    content = with_deltas(*deltas, state={"user:lang": "fr", "app:motd": "hi", "a": 1})
    session = import_one(tmp_path, content, SHARED)
    assert session.state == content["state"]
    assert shared_state(session) == ({"motd": "hi"}, {"lang": "fr"})
    entries = STORE.list_history(OwnerKey("shop", "ana"), "lang")
    assert [(entry.change.value, entry.change.kind) for entry in entries] == [
        ("fr", ChangeKind.IMPORT_CORRECTION),
        ("en", ChangeKind.EVENT),
        ("nb", ChangeKind.EVENT),
    ]


def test_temp_keys_are_stored_nowhere(tmp_path: Path) -> None:
    session = import_one(
        tmp_path, with_deltas({"temp:a": "hidden-1", "b": 1}, state={"temp:c": "hidden-2", "b": 1}), SHARED
    )
    assert session.state == {"b": 1}
    assert session.events[0].payload["actions"] == {"stateDelta": {"b": 1}}
    for model in (Event, State, StateChange, Audit):
        assert "hidden" not in repr(list(model.objects.values()))


def test_prefixes_are_read_once_and_in_this_spelling(tmp_path: Path) -> None:
    state = {"APP:z": 1, "other:x": 2, "app:temp:x": 3, "user:app:y": 4}
    session = import_one(tmp_path, make_session(state=state), SHARED)
    assert session.state == state
    assert shared_state(session) == ({"temp:x": 3}, {"app:y": 4})


def test_the_baseline_of_an_export_is_kept(tmp_path: Path) -> None:
    content = with_deltas({"a": 2}, state={"a": 2, "b": 1})
    wrapper = {
        "format": "statecore-export",
        "version": 1,
        "sessions": [
            {"session": content, "baseline": {"a": 1, "c": 1}, "display_name": "Tea", "labels": {"team": "north"}}
        ],
    }
    assert import_json(tmp_path, wrapper).status == 0
    session = stored(content)
    assert state_at(session, 0) == {"a": 1, "c": 1}
    assert session.state == {"a": 2, "b": 1}
    assert (session.display_name, session.labels) == ("Tea", {"team": "north"})


@pytest.mark.parametrize(
    "number",
    [
        "9007199254740993",
        "1" + "0" * 30,
        "0.30000000000000004",
        "-0.0",
        "1e+308",
        "1e-320",
        "0.1234567890123456789012345",
        "1.0",
    ],
)
def test_numbers_survive_exactly(tmp_path: Path, number: str) -> None:
    text = (
        '{"id": "s1", "appName": "shop", "userId": "ana", "state": {"a": #, "b": [#]}, "events": '
        '[{"id": "e1", "author": "m", "timestamp": 1.5, "output": {"x": #}, "actions": {"stateDelta": {"a": #}}}]}'
    ).replace("#", number)
    assert import_json(tmp_path, text).status == 0
    session = stored({"appName": "shop", "userId": "ana", "id": "s1"})
    assert dump_json(session.state) == f'{{"a":{number},"b":[{number}]}}'
    assert session.events[0].payload_json.count(number) == 2
    assert history(session, "a")[-1][1] is ChangeKind.EVENT


def test_sessions_of_many_events_are_whole(tmp_path: Path) -> None:
    deltas = [{f"k{n % 7}": n} for n in range(1234)]
    session = import_one(tmp_path, with_deltas(*deltas, state=None))
    assert [event.event_id for event in session.events] == [f"e{n}" for n in range(1, 1235)]
    assert session.state == {f"k{n % 7}": n for n in range(1234)}


def test_unknown_fields_and_urlsafe_bytes_come_back_as_they_were(tmp_path: Path) -> None:
    parts = [{"inlineData": {"mimeType": "image/png", "data": "_-8="}, "new_field": {"some_name": 1}}]
    event = make_event(content={"role": "user", "parts": parts}, someFutureField={"a_b": [None]}, snake_future=1)
    session = import_one(tmp_path, make_session(events=[event]))
    assert session.events[0].payload == event


def test_imported_session_expires_a_year_after_the_import(tmp_path: Path) -> None:
    before = datetime.now(UTC)
    session = import_one(tmp_path, make_session(events=[make_event(timestamp=5.5)], lastUpdateTime=7.5))
    assert before <= session.expire_time - DEFAULT_TTL <= datetime.now(UTC)
    assert session.expire_rule is ExpireRule.IMPORT_DEFAULT
    assert session.create_time == datetime.fromtimestamp(5.5, UTC)
    assert session.update_time == 7.5


def test_imported_session_expires_by_the_policy_of_its_app(tmp_path: Path) -> None:
    import_one(tmp_path, make_session("first"))
    Owner.objects.filter(app_name="shop", user_id=None).update(policy_ttl=timedelta(days=3))
    session = import_one(tmp_path, make_session("second"))
    assert session.expire_rule is ExpireRule.POLICY
    assert session.expire_time < datetime.now(UTC) + timedelta(days=4)


@pytest.mark.parametrize("time", [0.0, -5.5, 253402300800.0, 1e300])
def test_times_outside_of_the_calendar_change_nothing_but_themselves(tmp_path: Path, time: float) -> None:
    events = [make_event("e1", timestamp=time), make_event("e2", timestamp=3.5)]
    session = import_one(tmp_path, make_session(events=events, lastUpdateTime=time))
    assert [event.timestamp for event in session.events] == [time, 3.5]
    assert session.update_time == time


def test_each_import_leaves_an_audit_record_without_values_and_ids_of_people(tmp_path: Path) -> None:
    session = import_one(tmp_path, with_deltas({"a": "secret"}, state={"a": "secret 2"}))
    record = Audit.objects.get()
    assert (record.actor, record.verb, record.outcome) == ("process:import_sessions", "import", "done")
    assert (record.app_name, record.session_ref) == ("shop", session.id)
    assert record.detail == {"outcome": "imported", "events": 1, "corrected_keys": 1}
    assert "ana" not in repr(Audit.objects.values().get())


@pytest.mark.parametrize("name", ["a/b", "..", "%2F", "#?", "😀", "\u202eabc", "ana@example.com", "x" * 128])
def test_ids_of_every_kind_are_taken(tmp_path: Path, name: str) -> None:
    content = make_session(name, appName=name, userId=name, events=[make_event(name)])
    session = import_one(tmp_path, content)
    assert (session.key.app_name, session.key.user_id, session.key.session_id) == (name, name, name)
    assert session.events[0].event_id == name


def test_session_ids_lose_white_space_around_them(tmp_path: Path) -> None:
    assert import_one(tmp_path, make_session(" s1\t")).key.session_id == "s1"


def test_long_keys_of_state_are_taken_up_to_the_limit(tmp_path: Path) -> None:
    for key in ("k" * 1024, "😀" * 256):
        assert import_one(tmp_path, make_session(key[:100], state={key: 1})).state == {key: 1}
