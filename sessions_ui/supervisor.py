"""Runs the processes of the Procfile together; none outlives this process, however it dies."""

from __future__ import annotations

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)  # loaded here, for the child between fork and exec should do as little as possible
PATIENCE = 15.0  # seconds that a process gets to end by itself
PAUSE = 0.2


def read_procfile(path: Path) -> Mapping[str, list[str]]:
    """The commands of a Procfile by name; `python` is the interpreter that runs this."""
    commands: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, colon, command = line.partition(":")
        if colon:
            words = shlex.split(command)
            commands[name.strip()] = [sys.executable if word == "python" else word for word in words]
    return commands


class Supervisor:
    """Starts commands, waits until one ends or somebody asks for the end, and stops them all."""

    def __init__(self, commands: Mapping[str, list[str]], folder: Path) -> None:
        self._commands = commands
        self._folder = folder
        self._asked_to_stop = False

    def run(self) -> str | None:
        """Run until a signal or the first end of a process, whose name is returned."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop)
        running: dict[str, subprocess.Popen[bytes]] = {}
        try:
            for name, command in self._commands.items():
                running[name] = self._start(command)
            while not self._asked_to_stop:
                if ended := next(_ended(running), None):
                    return ended
                time.sleep(PAUSE)
            return None
        finally:
            stop_all(list(running.values()))

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        parent = os.getpid()
        # A session of its own: Ctrl-C reaches this process alone, which then stops the others in its own way.
        return subprocess.Popen(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: _die_with(parent),
        )

    def _stop(self, *_: object) -> None:
        self._asked_to_stop = True


def stop_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask all to end, wait, and end by force those that do not, with what they started."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + PATIENCE
    for process in processes:
        try:
            process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _ended(running: Mapping[str, subprocess.Popen[bytes]]) -> Iterator[str]:
    for name, process in running.items():
        if process.poll() is not None:
            yield f"{name} (status {process.returncode})"


def _die_with(parent: int) -> None:  # pragma: no cover - the exec that follows ends the measurement
    """Have the kernel terminate this process when ``parent`` dies; elsewhere than on Linux, do without."""
    if sys.platform != "linux":
        return
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
