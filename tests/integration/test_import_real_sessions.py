from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.delta import ChangeKind
from statecore.core.events import EventFlag
from statecore.core.ids import SessionKey
from statecore.core.sessions import ExpireRule, Origin
from tests.integration.imports import STORE, Run, run_import

if TYPE_CHECKING:
    from pathlib import Path

    from statecore.core.sessions import Session

pytestmark = pytest.mark.django_db

SESSIONS = (
    "customer-service.session.json",
    "denim-skirt.session.json",
    "floral-dress.session.json",
    "trip-planner-initial.session.json",
    "request-input.replay.json",
    "parallel-branches.replay.json",
    "retry-errors.replay.json",
    "inline-image.replay.json",
    "auth-credential.replay.json",
    "tool-confirmation.replay.json",
)
OVERRIDES = ("--app", "shop", "--user", "ana")


def spelled_alike(value: Any) -> Any:
    """A value in which no name has capitals or underscores, so that both spellings are the same."""
    if isinstance(value, dict):
        return {name.replace("_", "").lower(): spelled_alike(item) for name, item in value.items()}
    return [spelled_alike(item) for item in value] if isinstance(value, list) else value


def content_of(folder: Path, name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / name).read_text())
    return content


def imported(folder: Path, name: str, *words: str) -> tuple[dict[str, Any], Session, Run]:
    """Import one of the files; its content, what is stored, and the run."""
    run = run_import(folder / name, "--json", *words, *(OVERRIDES if "tool" in name else ()))
    assert run.status == 0, run.out
    content = content_of(folder, name)
    ids = {
        "app_name": "shop",
        "user_id": "ana",
        **{n.replace("N", "_n").replace("I", "_i"): content[n] for n in content},
    }
    session = STORE.get_session(SessionKey(ids["app_name"], ids["user_id"], run.report["records"][0]["session"]))
    assert session is not None
    return content, session, run


@pytest.mark.parametrize("name", SESSIONS)
def test_recorded_session_reads_back_as_it_was_written(real_sessions: Path, name: str) -> None:
    content, session, _ = imported(real_sessions, name)
    payloads = [event.payload for event in session.events]
    assert spelled_alike(payloads) == spelled_alike(content["events"])
    assert [event.seq for event in session.events] == list(range(1, len(content["events"]) + 1))
    assert all(EventFlag.IS_IMPORTED in event.flags for event in session.events)
    if "state" in content:
        assert session.state == content["state"]
    assert (session.origin, session.expire_rule) == (Origin.IMPORTED, ExpireRule.IMPORT_DEFAULT)


@pytest.mark.parametrize("name", SESSIONS)
def test_recorded_session_has_its_names_in_camel_case(real_sessions: Path, name: str) -> None:
    _, session, _ = imported(real_sessions, name)
    names: set[str] = set()
    for event in session.events:
        payload = event.payload
        content, actions = payload.get("content") or {}, payload.get("actions") or {}
        for holder in (payload, content, actions, *content.get("parts", [])):
            names |= holder.keys()
    assert not [one for one in names if "_" in one]


@pytest.mark.parametrize("name", SESSIONS)
def test_recorded_session_imported_twice_is_unchanged(real_sessions: Path, name: str) -> None:
    _, before, _ = imported(real_sessions, name)
    _, after, run = imported(real_sessions, name)
    assert after == before
    assert (run.report["imported"], run.report["unchanged"], run.report["events"]) == (0, 1, 0)


@pytest.mark.parametrize("name", SESSIONS)
def test_recorded_session_keeps_its_update_time(real_sessions: Path, name: str) -> None:
    content, session, _ = imported(real_sessions, name)
    if "last_update_time" in content:
        assert session.update_time == content["last_update_time"]


def test_arguments_and_state_of_recorded_calls_are_not_respelled(real_sessions: Path) -> None:
    content, session, _ = imported(real_sessions, "customer-service.session.json")
    assert session.state == content["state"]
    for stored, given in zip(session.events, content["events"], strict=True):
        for ours, theirs in zip(stored.payload["content"]["parts"], given["content"]["parts"], strict=True):
            assert ours.get("functionCall", {}).get("args") == theirs.get("function_call", {}).get("args")
            assert ours.get("functionResponse", {}).get("response") == theirs.get("function_response", {}).get(
                "response"
            )


def test_order_of_the_denim_skirt_is_that_of_the_file(real_sessions: Path) -> None:
    content, session, run = imported(real_sessions, "denim-skirt.session.json")
    assert [event.event_id for event in session.events] == [event["id"] for event in content["events"]]
    times = [event.timestamp for event in session.events]
    assert times != sorted(times)
    assert times == [event["timestamp"] for event in content["events"]]
    assert [note for note in run.report["records"][0]["notes"] if "backwards" in note] == [
        "timestamps go backwards, first at events[40]: the order of the file was kept"
    ]


def test_final_draft_of_the_requested_input_is_that_of_the_file(real_sessions: Path) -> None:
    content, session, run = imported(real_sessions, "request-input.replay.json")
    assert session.state["draft"] == content["state"]["draft"]
    newest, before, *_ = STORE.list_history(session.key, "draft")
    assert (newest.change.kind, newest.change.seq) == (ChangeKind.IMPORT_CORRECTION, session.revision)
    assert before.change.kind is ChangeKind.EVENT
    assert before.change.value != newest.change.value
    assert run.report["records"][0]["corrected"] == 1


def test_session_of_the_trip_planner_is_all_baseline(real_sessions: Path) -> None:
    content, session, _ = imported(real_sessions, "trip-planner-initial.session.json")
    assert session.revision == 0
    for key, value in content["state"].items():
        (entry,) = STORE.list_history(session.key, key)
        assert (entry.change.kind, entry.change.value) == (ChangeKind.BASELINE, value)


def test_replay_without_ids_needs_an_app_and_a_user(real_sessions: Path) -> None:
    name = "tool-confirmation.replay.json"
    assert "name the app with --app" in run_import(real_sessions / name).out
    assert "name the user with --user" in run_import(real_sessions / name, "--app", "shop").out
    run = run_import(real_sessions / name, *OVERRIDES)
    assert "made import-" in run.out
    assert run.last_line == "imported 1 sessions, 10 events, 0 refused"


def test_replay_reports_what_it_does_not_know(real_sessions: Path) -> None:
    _, _, run = imported(real_sessions, "retry-errors.replay.json")
    assert "ignored the unknown field 'mocks'" in run.report["records"][0]["notes"]


def test_errors_of_the_retries_are_counted(real_sessions: Path) -> None:
    content, session, _ = imported(real_sessions, "retry-errors.replay.json")
    assert session.error_count == sum("errorCode" in event for event in content["events"]) > 0


def test_whole_folder_is_imported_but_for_what_is_no_session(real_sessions: Path) -> None:
    run = run_import(real_sessions, "--json")
    assert run.status == 1
    assert (run.report["imported"], run.report["refused"]) == (9, 2)
    refused = {
        row["file"].rsplit("/")[-1]: row["reason"] for row in run.report["records"] if row["outcome"] == "refused"
    }
    assert "is an eval set, not a session" in refused["travel-concierge.evalset.json"]
    assert "appName: is missing" in refused["tool-confirmation.replay.json"]


def test_database_of_adk_is_refused_by_its_name(real_sessions: Path) -> None:
    run = run_import(real_sessions / "adk-v0-dnd.sqlite")
    assert run.status == 1
    assert "is an ADK database in SQLite, not a session file; export its sessions" in run.out
