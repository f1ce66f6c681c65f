"""``manage.py import_sessions``: recorded ADK sessions into the store."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db.utils import DatabaseError
from tqdm import tqdm

from statecore.core.actors import Actor
from statecore.core.errors import InvalidInputError, StatecoreError
from statecore.interop.files import Found, read_file
from statecore.interop.records import Overrides
from statecore.interop.sources import find_files
from statecore.service.importing import ImportOutcome, ImportService
from statecore.storage.postgres import DjangoConnections, PostgresStore

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

ACTOR = Actor.process("import_sessions")
REFUSED = "refused"
INTERRUPTED = 130
# Classes of SQLSTATE: a value or a size that cannot be stored; a table or function that is not there.
RECORDS_FAULT = frozenset({"22", "54"})
SCHEMAS_FAULT = frozenset({"42"})


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
        service = ImportService(PostgresStore(DjangoConnections()))
        overrides = Overrides(now=time.time(), app_name=options["app"], user_id=options["user"])
        rows: list[dict[str, Any]] = []
        is_interrupted = False
        with tqdm(unit=" events", leave=False, disable=not sys.stderr.isatty()) as bar:
            try:
                for name, found in _find_all(options["paths"], overrides):
                    bar.set_description(_printable(name))
                    rows.append(
                        {
                            "file": name,
                            "place": found.place,
                            **_import(service, found, bar, with_shared_state=options["with_shared_state"]),
                            "notes": list(found.notes),
                        }
                    )
            except KeyboardInterrupt:
                is_interrupted = True
        self._report(rows, as_json=options["json"])
        if is_interrupted:
            self.stderr.write("interrupted: what was not named above was not imported")
            sys.exit(INTERRUPTED)
        if any(row["outcome"] == REFUSED for row in rows):
            sys.exit(1)

    def _report(self, rows: list[dict[str, Any]], *, as_json: bool) -> None:
        outcomes = [row["outcome"] for row in rows]
        totals = {
            "imported": outcomes.count(ImportOutcome.IMPORTED) + outcomes.count(ImportOutcome.EXTENDED),
            "unchanged": outcomes.count(ImportOutcome.UNCHANGED),
            "refused": outcomes.count(REFUSED),
            "events": sum(row.get("events", 0) for row in rows),
        }
        if as_json:
            self.stdout.write(json.dumps({**totals, "records": rows}))
            return
        for row in rows:
            self.stdout.write("\n  ".join(_printable(line) for line in (_line(row), *row["notes"])))
        self.stdout.write(
            f"imported {totals['imported']} sessions, {totals['events']} events, {totals['refused']} refused"
        )


def _find_all(paths: list[Path], overrides: Overrides) -> Iterator[tuple[str, Found]]:
    for path in paths:
        try:
            for file in find_files(path):
                yield from ((str(file), found) for found in _find_in(file, overrides))
        except InvalidInputError as error:
            yield str(path), Found("", refusal=error.reason)
        except OSError as error:
            yield str(path), Found("", refusal=f"cannot be read: {error.strerror}")


def _find_in(file: Path, overrides: Overrides) -> Iterator[Found]:
    try:
        yield from read_file(file, overrides)
    except OSError as error:
        yield Found("", refusal=f"cannot be read: {error.strerror}")


def _import(service: ImportService, found: Found, bar: tqdm[Any], *, with_shared_state: bool) -> dict[str, Any]:
    if found.record is None:
        return {"outcome": REFUSED, "reason": found.refusal}
    session = {"session": found.record.key.session_id}
    try:
        done = service.import_session(
            found.record, actor=ACTOR, with_shared_state=with_shared_state, progress=bar.update
        )
    except StatecoreError as error:
        return {**session, "outcome": REFUSED, "reason": str(error)}
    except DatabaseError as error:
        # What the database says may quote values.
        code = str(getattr(error.__cause__, "sqlstate", None))
        if code[:2] in RECORDS_FAULT:
            return {**session, "outcome": REFUSED, "reason": f"the database cannot hold it (SQLSTATE {code})"}
        if code[:2] in SCHEMAS_FAULT:
            raise CommandError(f"the database is not migrated (SQLSTATE {code}): run `manage.py migrate`") from None
        raise
    return {**session, "outcome": done.outcome.value, "events": done.event_count, "corrected": done.corrected_count}


def _line(row: dict[str, Any]) -> str:
    place = f"{row['file']} {row['place']}".rstrip()
    if row["outcome"] == REFUSED:
        return f"{place}: refused: {row['reason']}"
    corrected = f", {row['corrected']} keys set to the file's final state" if row["corrected"] else ""
    return f"{place}: {row['outcome']} {row['session']} ({row['events']} events{corrected})"


def _printable(text: str) -> str:
    """Return a text that a terminal shows and never obeys, whatever its encoding."""
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode()
        for character in text
    )
    encoding = sys.stdout.encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
