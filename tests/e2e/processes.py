"""Real processes of the project in a folder of their own, and whether any of them is left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds; whoever waits this long has failed


def environment(var: Path, **variables: str) -> dict[str, str]:
    """The environment of a process whose data is in ``var``."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "STATECORE_VAR": str(var), **variables}


def manage(*words: str, var: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a management command to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment(var, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as ``condition`` holds; AssertionError if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def processes_in(var: Path) -> list[str]:
    """The command lines of all living processes that know of ``var``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.name == str(os.getpid()):
                continue
            command, variables = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        if str(var).encode() in command or f"STATECORE_VAR={var}\0".encode() in variables:
            found.append(command.replace(b"\0", b" ").decode(errors="replace"))
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
