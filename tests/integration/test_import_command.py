from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management.base import CommandError
from django.db.utils import DataError, OperationalError, ProgrammingError

from statecore.core.ids import SessionKey
from statecore.models import Session
from statecore.storage.postgres import PostgresStore
from tests.integration.imports import STORE, import_json, run_import
from tests.unit.interop.texts import make_event, make_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.django_db


def test_last_line_counts_sessions_events_and_refusals(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(make_session("a", events=[make_event("e1"), make_event("e2")])))
    (tmp_path / "b.jsonl").write_text("\n".join([json.dumps(make_session("b")), "{broken", "7"]))
    run = run_import(tmp_path)
    assert run.status == 1
    assert run.last_line == "imported 2 sessions, 2 events, 2 refused"
    assert run.err == ""


def test_status_is_zero_if_nothing_was_refused(tmp_path: Path) -> None:
    assert import_json(tmp_path, [make_session("a"), make_session("b")]).status == 0
    assert import_json(tmp_path, []).last_line == "imported 0 sessions, 0 events, 0 refused"


def test_lines_name_file_and_record(tmp_path: Path) -> None:
    run = import_json(tmp_path, [make_session("a"), {"id": "b"}])
    path = tmp_path / "file.json"
    assert run.out.splitlines()[:2] == [
        f"{path} record 1: imported a (0 events)",
        f"{path} record 2: refused: has neither events nor state, so it is not a session",
    ]


def test_report_is_one_json_document(tmp_path: Path) -> None:
    content = [make_session("a", events=[make_event(None)], state={"x": 1}), {"id": "b"}]
    run = import_json(tmp_path, content, "--json")
    assert run.status == 1
    assert run.report == {
        "imported": 1,
        "unchanged": 0,
        "refused": 1,
        "events": 1,
        "records": [
            {
                "file": str(tmp_path / "file.json"),
                "place": "record 1",
                "session": "a",
                "outcome": "imported",
                "events": 1,
                "corrected": 0,
                "notes": ["1 events have no id: made from their content and position"],
            },
            {
                "file": str(tmp_path / "file.json"),
                "place": "record 2",
                "outcome": "refused",
                "reason": "has neither events nor state, so it is not a session",
                "notes": [],
            },
        ],
    }


def test_paths_that_cannot_be_read_do_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.json").write_text(json.dumps(make_session()))
    (tmp_path / "locked.json").write_text("{}")
    (tmp_path / "folder").mkdir()
    opened = type(tmp_path).open

    def refuse(path: Path, *args: Any) -> Any:
        if path.name == "locked.json":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args)

    monkeypatch.setattr(type(tmp_path), "open", refuse)
    names = ("none.json", "locked.json", "folder", "good.json")
    run = run_import(*(tmp_path / name for name in names))
    reasons = [line.partition("refused: ")[2] for line in run.out.splitlines()[:3]]
    assert reasons == [
        "does not exist",
        "cannot be read: Permission denied",
        "is a folder without any of *.json, *.jsonl, *.ndjson",
    ]
    assert run.last_line == "imported 1 sessions, 0 events, 3 refused"


def test_folder_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "iterdir", refuse)
    assert "refused: cannot be read: Permission denied" in run_import(tmp_path).out


def test_terminal_codes_and_bidi_overrides_are_shown_and_not_sent(tmp_path: Path) -> None:
    run = import_json(tmp_path, make_session("\u202eab"), name="\x1b[31mred.json")
    assert "\\x1b[31mred.json: imported \\u202eab (0 events)" in run.out
    assert run.out.isascii()


def test_names_that_are_no_text_are_shown(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.json")
    path.write_text(json.dumps(make_session()))
    assert "caf\\udce9.json: imported s1" in run_import(path).out
    assert run_import(path, "--json").report["unchanged"] == 1


def test_what_the_terminal_cannot_show_is_spelled_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert "imported \\U0001f600 (" in import_json(tmp_path, make_session("😀")).out


def test_neither_people_nor_values_are_printed(tmp_path: Path) -> None:
    state = {"temp:x": "hidden", "user:x": "hidden", "a": "hidden"}
    event = make_event(actions={"stateDelta": {"a": "hidden too"}}, content={"parts": [{"text": "hidden"}]})
    first = import_json(tmp_path, make_session(userId="ana@example.com", state=state, events=[event]))
    other = import_json(tmp_path, make_session(userId="ana@example.com", state={"a": "hidden 2"}, events=[event]))
    wrong = import_json(tmp_path, make_session("w", userId="ana@example.com", state={"a": "hidden\0"}))
    for run in (first, other, wrong):
        assert "hidden" not in run.out
        assert "ana@example.com" not in run.out
    assert (first.status, other.status, wrong.status) == (0, 1, 1)


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*args: Any, **options: Any) -> Any:
        raise error

    return fail


def caused(error: Exception, sqlstate: str) -> Exception:
    error.__cause__ = type("Cause", (Exception,), {"sqlstate": sqlstate})()
    return error


def test_what_the_database_cannot_hold_is_refused_without_its_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = PostgresStore.create_session

    def fail_once(store: PostgresStore, new: Any, **options: Any) -> Any:
        if new.key.session_id == "a":
            raise caused(DataError("value 'hidden' is too odd"), "54000")
        return create(store, new, **options)

    monkeypatch.setattr(PostgresStore, "create_session", fail_once)
    run = import_json(tmp_path, [make_session("a"), make_session("b")])
    assert "record 1: refused: the database cannot hold it (SQLSTATE 54000)" in run.out
    assert "hidden" not in run.out
    assert run.last_line == "imported 1 sessions, 0 events, 1 refused"


def test_database_that_is_gone_stops_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresStore, "create_session", failing(caused(OperationalError("gone"), "57P01")))
    with pytest.raises(OperationalError, match="gone"):
        import_json(tmp_path, make_session())


def test_database_that_is_not_migrated_stops_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresStore, "create_session", failing(caused(ProgrammingError("no table"), "42P01")))
    with pytest.raises(CommandError, match=r"^the database is not migrated \(SQLSTATE 42P01\): run"):
        import_json(tmp_path, make_session())


def test_interrupted_import_says_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = PostgresStore.create_session

    def interrupt(store: PostgresStore, new: Any, **options: Any) -> Any:
        if new.key.session_id == "b":
            raise KeyboardInterrupt
        return create(store, new, **options)

    monkeypatch.setattr(PostgresStore, "create_session", interrupt)
    run = import_json(tmp_path, [make_session("a"), make_session("b"), make_session("c")])
    assert run.status == 130
    assert run.last_line == "imported 1 sessions, 0 events, 0 refused"
    assert "interrupted" in run.err
    assert list(Session.objects.values_list("session_id", flat=True)) == ["a"]


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert import_json(tmp_path, make_session()).err == ""
    monkeypatch.setattr("tests.integration.imports.IS_TERMINAL", True)
    run = import_json(tmp_path, make_session("b", events=[make_event()]))
    assert "events" in run.err
    assert run.last_line == "imported 1 sessions, 1 events, 0 refused"


def test_session_deleted_while_it_is_imported_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_json(tmp_path, make_session())
    monkeypatch.setattr(PostgresStore, "get_session", lambda *_, **__: None)
    assert "was deleted while it was imported; import it again" in import_json(tmp_path, make_session()).out


def test_session_written_to_while_it_is_imported_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresStore, "append_events", lambda *_, **__: 7)
    run = import_json(tmp_path, make_session(events=[make_event()]))
    assert "was written to while it was imported; import it again" in run.out
    monkeypatch.undo()
    assert STORE.get_session(SessionKey("shop", "ana", "s1")) is None
