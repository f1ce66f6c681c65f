"""``manage.py import_sessions``: recorded ADK sessions into the store."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from statecore.core.actors import Actor
from statecore.core.errors import InvalidInputError, StatecoreError
from statecore.interop.records import Found, Overrides, read_records
from statecore.interop.sources import find_files, read_sources
from statecore.service.importing import ImportService, Outcome
from statecore.storage.postgres import DjangoConnections, PostgresStore

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

ACTOR = Actor.process("import_sessions")


class Command(BaseCommand):
    """Imports files and says what became of each session in them."""

    help = (
        "Import ADK session files: sessions, replays, arrays, JSON lines and exports. Files saved by "
        "`adk run --save_session` may hold secrets as they were. Exit status 1 if anything was refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file, or a folder of JSON files")
        parser.add_argument("--app", help="the app of all sessions, whatever the files say")
        parser.add_argument("--user", help="the user of all sessions, whatever the files say")
        parser.add_argument(
            "--with-shared-state",
            action="store_true",
            help="apply keys of user: and app: too; they overwrite newer values",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON report instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        self._service = ImportService(PostgresStore(DjangoConnections()))
        self._with_shared_state = bool(options["with_shared_state"])
        overrides = Overrides(now=time.time(), app_name=options["app"], user_id=options["user"])
        report = []
        with tqdm(unit=" sessions", disable=not sys.stderr.isatty() or options["json"]) as bar:
            for found in _find_all(options["paths"], overrides):
                row = self._import(found)
                report.append(row)
                bar.update()
                if not options["json"]:
                    with tqdm.external_write_mode():
                        self.stdout.write(_line(row))
        self._finish(report, as_json=options["json"])

    def _import(self, found: Found) -> dict[str, Any]:
        row: dict[str, Any] = {"source": found.where, "notes": list(found.notes)}
        if found.record is None:
            return {**row, "outcome": "refused", "reason": found.refusal}
        row["session"] = found.record.key.session_id
        try:
            done = self._service.import_session(found.record, actor=ACTOR, with_shared_state=self._with_shared_state)
        except StatecoreError as error:
            return {**row, "outcome": "refused", "reason": str(error)}
        return {**row, "outcome": done.outcome.value, "events": done.event_count}

    def _finish(self, report: list[dict[str, Any]], *, as_json: bool) -> None:
        outcomes = [row["outcome"] for row in report]
        totals = {
            "imported": outcomes.count(Outcome.IMPORTED) + outcomes.count(Outcome.EXTENDED),
            "unchanged": outcomes.count(Outcome.UNCHANGED),
            "events": sum(row.get("events", 0) for row in report),
            "refused": outcomes.count("refused"),
        }
        if as_json:
            self.stdout.write(json.dumps({**totals, "sessions": report}, ensure_ascii=False))
        else:
            self.stdout.write(
                f"imported {totals['imported']} sessions, {totals['events']} events, {totals['refused']} refused"
            )
        if totals["refused"]:
            sys.exit(1)


def _find_all(paths: list[Path], overrides: Overrides) -> Iterator[Found]:
    for path in paths:
        try:
            files = find_files(path)
        except InvalidInputError as error:
            yield Found(path.name, refusal=error.reason)
            continue
        for file in files:
            yield from _find_in(file, overrides)


def _find_in(file: Path, overrides: Overrides) -> Iterator[Found]:
    try:
        for source in read_sources(file):
            yield from read_records(source, overrides)
    except InvalidInputError as error:
        yield Found(file.name, refusal=error.reason)
    except OSError as error:
        yield Found(file.name, refusal=f"cannot be read: {error.strerror}")


def _line(row: dict[str, Any]) -> str:
    if row["outcome"] == "refused":
        text = f"{row['source']}: refused: {row['reason']}"
    else:
        text = f"{row['source']}: {row['outcome']} {row['session']} ({row['events']} events)"
    return "\n  ".join((text, *row["notes"]))
