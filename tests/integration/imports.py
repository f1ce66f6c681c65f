"""The import command in this process, and what it left in the store."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.management import call_command

from statecore.core.ids import SessionKey
from statecore.core.jsontext import parse_json
from statecore.storage.postgres import DjangoConnections, PostgresStore

if TYPE_CHECKING:
    from pathlib import Path

    from statecore.core.sessions import Session

STORE = PostgresStore(DjangoConnections())


IS_TERMINAL = False


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return IS_TERMINAL


@dataclass(frozen=True)
class Run:
    """One run of the command."""

    status: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        return self.out.splitlines()[-1]

    @property
    def report(self) -> dict[str, Any]:
        """What ``--json`` printed."""
        report: dict[str, Any] = json.loads(self.out)
        return report


def run_import(*words: object) -> Run:
    """Run ``import_sessions`` with these words."""
    out, err = io.StringIO(), _Screen()
    status = 0
    with redirect_stderr(err):
        try:
            call_command("import_sessions", *map(str, words), stdout=out, stderr=err)
        except SystemExit as end:
            status = int(end.code or 0)
    return Run(status, out.getvalue(), err.getvalue())


def import_json(folder: Path, content: Any, *words: str, name: str = "file.json") -> Run:
    """Import a file of this content: text as it is, anything else as JSON."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return run_import(path, *words)


def import_one(folder: Path, content: Any, *words: str) -> Session:
    """Import a file with one session and return what is stored of it."""
    run = import_json(folder, content, "--json", *words)
    assert run.status == 0, run.out
    (row,) = run.report["records"]
    return stored(content, session_id=row["session"])


def stored(content: Any, **ids: str) -> Session:
    """The session that a file's content names; AssertionError if it is not there."""
    if isinstance(content, str):
        content = parse_json(content)
    key = SessionKey(content["appName"], content["userId"], ids.get("session_id") or content["id"])
    session = STORE.get_session(key)
    assert session is not None
    return session
