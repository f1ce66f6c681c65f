from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.delta import ChangeKind
from statecore.core.ids import SessionKey
from statecore.core.sessions import Origin
from statecore.models import Audit, Receipt
from tests.builders import append, create
from tests.builders import make_event as make_stored_event
from tests.integration.imports import STORE, import_json, import_one, run_import, stored
from tests.unit.interop.texts import make_event, make_session

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.django_db


def events_of(count: int, *, make_ids: bool = False) -> list[dict[str, Any]]:
    return [
        make_event(None if make_ids else f"e{n}", timestamp=100.5 + n, actions={"stateDelta": {"step": n}})
        for n in range(1, count + 1)
    ]


def outcome(folder: Path, content: Any, *words: str) -> tuple[str, Any]:
    (row,) = import_json(folder, content, "--json", *words).report["records"]
    return row["outcome"], row.get("events", row.get("reason"))


def test_second_import_changes_nothing(tmp_path: Path) -> None:
    content = make_session(events=events_of(3), state={"step": 9, "user:lang": "nb"}, lastUpdateTime=100.5)
    before = import_one(tmp_path, content, "--with-shared-state")
    assert outcome(tmp_path, content, "--with-shared-state") == ("unchanged", 0)
    assert stored(content) == before
    assert Audit.objects.count() == 1


def test_second_import_of_a_replay_without_ids_and_times_changes_nothing(tmp_path: Path) -> None:
    content = {"events": [make_event(None, timestamp=None), make_event(None, timestamp=None)]}
    words = ("--app", "shop", "--user", "ana")
    assert outcome(tmp_path, content, *words) == ("imported", 2)
    assert outcome(tmp_path, content, *words) == ("unchanged", 0)


def test_second_import_in_the_other_spelling_changes_nothing(tmp_path: Path) -> None:
    import_one(tmp_path, make_session(events=events_of(1, make_ids=True), state={"step": 1}))
    snake = {"timestamp": 101.5, "author": "user", "invocation_id": "i1", "actions": {"state_delta": {"step": 1}}}
    content = {"id": "s1", "app_name": "shop", "user_id": "ana", "state": {"step": 1}, "events": [snake]}
    assert outcome(tmp_path, content) == ("unchanged", 0)


def test_file_twice_in_one_run_is_imported_once(tmp_path: Path) -> None:
    content = make_session(events=events_of(2))
    run = import_json(tmp_path, [content, content])
    assert run.last_line == "imported 1 sessions, 2 events, 0 refused"


@pytest.mark.parametrize("make_ids", [False, True])
def test_file_that_extends_the_session_appends_the_rest(tmp_path: Path, make_ids: bool) -> None:
    first = make_session(events=events_of(2, make_ids=make_ids), state={"step": 2, "kept": 1}, lastUpdateTime=102.5)
    before = import_one(tmp_path, first)
    longer = make_session(events=events_of(4, make_ids=make_ids), state={"step": 9, "new": 1}, lastUpdateTime=104.5)
    assert outcome(tmp_path, longer) == ("extended", 2)
    after = stored(longer)
    assert after.id == before.id
    assert after.events[:2] == before.events
    assert (after.revision, after.state, after.update_time) == (4, {"step": 9, "new": 1}, 104.5)
    kinds = [entry.change.kind for entry in STORE.list_history(after.key, "step")]
    assert kinds == [ChangeKind.IMPORT_CORRECTION, *[ChangeKind.EVENT] * 4]
    assert [record.detail["outcome"] for record in Audit.objects.order_by("id")] == ["imported", "extended"]
    assert outcome(tmp_path, longer) == ("unchanged", 0)


def test_file_without_a_state_extends_a_session_too(tmp_path: Path) -> None:
    import_one(tmp_path, make_session(events=events_of(1), state={"step": 1, "kept": 1}))
    assert outcome(tmp_path, make_session(events=events_of(2), state=None)) == ("extended", 1)
    assert stored(make_session()).state == {"step": 2, "kept": 1}


def test_session_that_was_not_imported_is_extended_as_well(tmp_path: Path) -> None:
    session = create(STORE, SessionKey("shop", "ana", "s1"))
    append(STORE, session, make_stored_event(event_id="e1", timestamp=101.5))
    first = {"id": "e1", "author": "agent", "timestamp": 101.5}
    content = make_session(events=[first, make_event("e2")])
    assert outcome(tmp_path, content) == ("extended", 1)
    assert stored(content).origin is Origin.CREATED


@pytest.mark.parametrize(
    ("events", "state", "reason"),
    [
        (events_of(2), {"step": 3}, "exists with 3 events, and the file has 2"),
        ([], {"step": 3}, "exists with 3 events, and the file has 0"),
        (
            [*events_of(2), make_event("e3", author="model")],
            {"step": 3},
            "exists, and event 3 of the file has another body",
        ),
        (
            [*events_of(2), make_event("other"), *events_of(3)[2:]],
            {"step": 3},
            "exists, and its event #3 is not event 3 of the file",
        ),
        (
            [events_of(2)[1], events_of(2)[0], *events_of(3)[2:]],
            {"step": 3},
            "exists, and its event #1 is not event 1 of the file",
        ),
        (events_of(3), {"step": 4}, "exists with the same events and another state"),
        (events_of(3), {}, "exists with the same events and another state"),
    ],
)
def test_any_other_file_is_refused_and_changes_nothing(
    tmp_path: Path, events: list[Any], state: dict[str, Any], reason: str
) -> None:
    before = import_one(tmp_path, make_session(events=events_of(3), state={"step": 3}))
    result, said = outcome(tmp_path, make_session(events=events, state=state))
    assert result == "refused"
    assert reason in said
    assert "nothing was changed" in said
    assert stored(make_session()) == before
    assert Audit.objects.count() == 1


def test_edited_session_refuses_the_file_that_it_came_from(tmp_path: Path) -> None:
    content = make_session(events=events_of(1), state={"step": 1})
    session = import_one(tmp_path, content)
    append(STORE, session, make_stored_event(delta={"step": 7}))
    assert outcome(tmp_path, content)[0] == "refused"
    assert stored(content).state == {"step": 7}


def test_refused_record_leaves_nothing_behind(tmp_path: Path) -> None:
    content = make_session(events=[*events_of(2), make_event("e3", timestamp="noon")])
    assert outcome(tmp_path, content)[0] == "refused"
    assert STORE.get_session(SessionKey("shop", "ana", "s1")) is None
    assert not Audit.objects.exists()


def test_deleted_session_can_be_imported_again(tmp_path: Path) -> None:
    content = make_session(events=events_of(1))
    session = import_one(tmp_path, content)
    STORE.delete_session(session.key, rule="person", actor="operator:kim")
    assert outcome(tmp_path, content) == ("imported", 1)
    assert Receipt.objects.count() == 1


def test_same_id_of_another_user_is_another_session(tmp_path: Path) -> None:
    import_one(tmp_path, make_session(events=events_of(1)))
    assert outcome(tmp_path, make_session(), "--user", "bo") == ("imported", 0)
    assert run_import(tmp_path / "file.json", "--app", "zoo").last_line == "imported 1 sessions, 0 events, 0 refused"
