"""Processes of a server whose keeper has died, found by the cluster's name in their command lines."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Leftover:
    """A process of the server: its postmaster, or one of the postmaster's children."""

    pid: int
    is_postmaster: bool


def leftovers(mark: str, commands: dict[int, str] | None = None) -> list[Leftover]:
    """Find the processes of the cluster named ``mark`` among ``commands`` (all of this machine's)."""
    found = []
    for pid, command in (command_lines() if commands is None else commands).items():
        program = Path(command.split(" ", 1)[0]).name
        if program == "postgres" and f"cluster_name={mark}" in command.split(" "):
            found.append(Leftover(pid, is_postmaster=True))
        elif command.startswith(f"postgres: {mark}: "):
            found.append(Leftover(pid, is_postmaster=False))
    return found


def ask_to_stop(mark: str, *, patience_spent: float) -> None:
    """Signal what is left of the cluster, harder as the seconds in ``patience_spent`` grow.

    A postmaster stops its children itself. Without one, its children have nothing left to do: the shared memory
    they work on is lost.
    """
    found = leftovers(mark)
    postmasters = [process.pid for process in found if process.is_postmaster]
    gentle = signal.SIGINT if postmasters else signal.SIGQUIT
    chosen = gentle if patience_spent < 15 else signal.SIGQUIT if patience_spent < 25 else signal.SIGKILL
    for pid in postmasters or [process.pid for process in found]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, chosen)


def command_lines() -> dict[int, str]:
    """Read the command line of every process that lets itself be seen, words separated by spaces."""
    return dict(_from_proc() if (PROC / "self").exists() else _from_ps())


def _from_proc() -> Iterator[tuple[int, str]]:
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ")
                yield int(entry.name), os.fsdecode(words)


def _from_ps() -> Iterator[tuple[int, str]]:
    """For systems without /proc, such as macOS."""
    answer = subprocess.run(["ps", "-axww", "-o", "pid=,args="], capture_output=True, text=True, check=False)
    for line in answer.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        yield int(pid), command.strip()
