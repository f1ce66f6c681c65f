"""The data folder and the server on it. Used by the keeper, which holds the locks that make this safe."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from statecore.embedded.errors import EmbeddedServerError
from statecore.embedded.layout import NAME, PORT, Layout, make_private
from statecore.embedded.privileges import Identity, give

if TYPE_CHECKING:
    from collections.abc import Sequence

    from statecore.embedded.binaries import Binaries
    from statecore.embedded.locks import FileLock

ADVICE = "make room, set STATECORE_VAR to another folder, or set DATABASE_URL to a PostgreSQL server"
# Bytes; a longer log is set aside at the next start, and the one set aside before is dropped.
LOG_LIMIT = 5_000_000
SUPERUSER = "postgres"
# One command a line: single-user mode reads them so.
FIRST_COMMANDS = f"CREATE ROLE {NAME} LOGIN CREATEDB;\nCREATE DATABASE {NAME} OWNER {NAME};\n"
# Fast shutdown, then without a checkpoint; each with the seconds it is given before the next, and then force.
STOPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    # The log tells of starts, stops and crashes only: messages of errors quote values, which are personal data.
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_checkpoints": "off",
    "log_connections": "off",
    "log_disconnections": "off",
}


@dataclass(frozen=True, slots=True)
class Cluster:
    """One data folder, the programs for it, and who runs them."""

    layout: Layout
    binaries: Binaries
    identity: Identity
    lock: FileLock  # inherited by every process of the server, so that it is free only when all are gone

    def create(self) -> None:
        """Make the data folder if there is none; one that could not be finished is thrown away."""
        if self.layout.data.exists():
            self._check_version()
            give(self.layout.data, self.identity)
            return
        unfinished = self.layout.unfinished_data
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        give(unfinished, self.identity)
        self._run_tool([self.binaries.initdb, *self._initdb_options(), "-D", str(unfinished)])
        single = [self.binaries.postgres, "--single", "-D", str(unfinished), "postgres"]
        self._run_tool(single, commands=FIRST_COMMANDS)
        unfinished.rename(self.layout.data)
        folder = os.open(self.layout.root, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server. The caller holds ``lock``: what a dead server left behind is stale, and goes."""
        (self.layout.data / "postmaster.pid").unlink(missing_ok=True)
        make_private(self.layout.run.parent)
        shutil.rmtree(self.layout.run, ignore_errors=True)
        self.layout.run.mkdir(mode=0o700)
        give(self.layout.run, self.identity)
        settings = SETTINGS | {
            "cluster_name": self.layout.mark,
            "unix_socket_directories": str(self.layout.run),
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = self.identity.command(self.binaries.postgres, "-D", str(self.layout.data), *options)
        if self.layout.log.exists() and self.layout.log.stat().st_size > LOG_LIMIT:
            self.layout.log.replace(self.layout.log.with_name("log.1"))
        with self.layout.log.open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment(),
                cwd=self.layout.root,
                pass_fds=[self.lock.fileno()],
            )

    def _check_version(self) -> None:
        found = (self.layout.data / "PG_VERSION").read_text().strip()
        if found != str(self.binaries.major):
            raise EmbeddedServerError(
                f"{self.layout.data} was made by PostgreSQL {found}, and this is PostgreSQL {self.binaries.major}: "
                "export with the release that made it and import here, or set STATECORE_VAR to a new folder"
            )

    def _initdb_options(self) -> list[str]:
        """Ask for the same order of texts on every machine, whatever its locale."""
        options = [f"--username={SUPERUSER}", "--encoding=UTF8", "--locale=C", "--data-checksums"]
        if self.binaries.major >= 17:
            options += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        return [*options, "--auth-local=trust", "--auth-host=reject"]

    def _run_tool(self, words: Sequence[str], commands: str = "") -> None:
        done = subprocess.run(
            self.identity.command(*words),
            input=commands,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(),
            check=False,
            pass_fds=[self.lock.fileno()],
        )
        if done.returncode != 0 or "ERROR:" in done.stdout:
            raise EmbeddedServerError(
                f"could not make the database in {self.layout.data} ({complaint(done.stdout)}): {ADVICE}"
            )


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server; its pid is certain, for a child's number is not given away before it is waited for."""
    for number, patience in STOPS:
        server.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=patience)
            return
    server.kill()
    server.wait()


def environment() -> dict[str, str]:
    """Return what the server's programs see: not the caller's PG* variables, locale or time zone."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def complaint(output: str) -> str:
    """Find the line of a program's output that says what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if re.search("FATAL:|PANIC:|ERROR:|error:", line)]
    return (telling or lines or ["no message"])[-1]
