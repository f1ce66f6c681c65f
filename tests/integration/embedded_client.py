"""A real process that uses an embedded server, driven line by line, and a look at what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from statecore.embedded.layout import Layout
from statecore.embedded.processes import command_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0  # seconds; a test that waits this long has failed

# Answers each line of SQL with one line: the first value, or the kind of error and its message. `&SQL` forks
# a child that runs the SQL and answers; `!` forks a bystander and starts a stranger, and answers with their pids;
# `?` forks a child that ends of itself, and answers with its exit status.
PROGRAM = """
import os, subprocess, sys, time
from pathlib import Path
import psycopg
from statecore.embedded import EmbeddedServer, EmbeddedServerError

server = EmbeddedServer(Path(sys.argv[1]), patience=float(sys.argv[2]))

def answer(sql):
    try:
        with server.connect(lambda: psycopg.connect(server.info.url, autocommit=True)) as connection:
            cursor = connection.execute(sql)
            return str(cursor.fetchone()[0]) if cursor.description else "done"
    except (EmbeddedServerError, psycopg.Error) as error:
        return " ".join(f"{type(error).__name__}: {error}".split())

def fork(work):
    pid = os.fork()
    if not pid:
        work()
        time.sleep(600)
    return pid

print("ready", flush=True)
for line in sys.stdin:
    line = line.rstrip()
    if line.startswith("&"):
        fork(lambda: print(answer(line[1:]), flush=True))
    elif line == "!":
        stranger = subprocess.Popen(["sleep", "600"], close_fds=False)
        print(fork(lambda: None), stranger.pid, flush=True)
    elif line == "?":
        print(os.waitpid(fork(sys.exit), 0)[1], flush=True)
    else:
        print(answer(line), flush=True)
"""


class Client:
    """One client process of the embedded server of ``var``."""

    def __init__(self, var: Path, *, prefix: Sequence[str] = (), patience: float = PATIENCE) -> None:
        self.process = subprocess.Popen(
            [*prefix, sys.executable, "-c", PROGRAM, str(var), str(patience)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert self.hear() == "ready"

    def say(self, line: str) -> None:
        """Send a line without waiting for the answer."""
        assert self.process.stdin
        self.process.stdin.write(line + "\n")

    def hear(self) -> str:
        """Wait for the next line of answer."""
        assert self.process.stdout
        return self.process.stdout.readline().rstrip()

    def ask(self, line: str) -> str:
        """Send a line and return the answer."""
        self.say(line)
        return self.hear()

    def end(self) -> None:
        """Let the process end of itself."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def kill(self) -> None:
        """End the process as ``kill -9`` does; one that ended already is only cleaned up."""
        self.process.kill()
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def postmaster_pid(var: Path) -> int:
    """Find the pid of the running server."""
    return int((Layout.of(var).data / "postmaster.pid").read_text().split("\n", 1)[0])


def keeper_pid(var: Path) -> int:
    """Find the pid of the running server's keeper: its parent."""
    status = Path(f"/proc/{postmaster_pid(var)}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("PPid:"))


def server_processes(var: Path) -> dict[int, str]:
    """Keeper, postmaster and its children, by pid."""
    layout = Layout.of(var)
    return {
        pid: command
        for pid, command in command_lines().items()
        if layout.mark in command or ("embedded.keeper" in command and str(layout.var) in command)
    }


def eventually(is_so: Callable[[], bool], *, within: float = PATIENCE) -> bool:
    """Whether it comes to be so in time."""
    deadline = time.monotonic() + within
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def is_gone(var: Path) -> bool:
    """Whether nothing of the server runs any more, waiting a while for it."""
    return eventually(lambda: not server_processes(var))


def kill(*pids: int) -> None:
    """``kill -9``."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether the process runs, zombies excepted."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
