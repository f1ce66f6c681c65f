from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.processes import ROOT, environment, manage, processes_in, wait_for
from tests.unit.interop.texts import make_event, make_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow

SIZE = 100_000_000
LIMIT = 600 * 1024  # kB
EVENT_COUNT = 5_000


@pytest.fixture(scope="module")
def var() -> Iterator[Path]:
    """An embedded database of its own, migrated."""
    folder = Path(tempfile.mkdtemp(prefix="sc-"))
    assert manage("migrate", "--verbosity=0", var=folder).returncode == 0
    yield folder
    wait_for(lambda: processes_in(folder) == [], "the server to end")
    shutil.rmtree(folder, ignore_errors=True)


def session_of(session_id: str, event_count: int) -> dict[str, Any]:
    """A session of so many events of 20 kB, each of which writes a key."""
    text = 'a "quoted" line\n' * (SIZE // EVENT_COUNT // 18)
    events = [
        make_event(f"e{n}", content={"role": "user", "parts": [{"text": text}]}, actions={"stateDelta": {"step": n}})
        for n in range(event_count)
    ]
    return make_session(session_id, state={"step": -1}, events=events)


CONTENTS: dict[str, Callable[[], Any]] = {
    "one session": lambda: session_of("one", EVENT_COUNT),
    "an array": lambda: [session_of(f"many-{n}", EVENT_COUNT // 100) for n in range(100)],
    "a string": lambda: json.dumps(session_of("string", EVENT_COUNT)),
}


def import_measured(path: Path, var: Path) -> tuple[str, int]:
    """Import in a process of its own; its last line, and the most memory that it had, in kB."""
    with (path.parent / "out").open("w+") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "import_sessions", str(path)],
            cwd=ROOT,
            env=environment(var),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return out.read().splitlines()[-1], usage.ru_maxrss


@pytest.mark.parametrize("shape", CONTENTS)
def test_file_of_100_mb_needs_less_than_600_mb_of_memory(tmp_path: Path, var: Path, shape: str) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps(CONTENTS[shape]()))
    assert path.stat().st_size >= SIZE
    count = 100 if shape == "an array" else 1
    line, memory = import_measured(path, var)
    assert line == f"imported {count} sessions, {EVENT_COUNT} events, 0 refused"
    assert memory < LIMIT
    line, memory = import_measured(path, var)
    assert line == "imported 0 sessions, 0 events, 0 refused"
    assert memory < LIMIT
