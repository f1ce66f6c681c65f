"""The client's side: make sure that the server runs, for as long as this process does."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, TypeVar

import psycopg
from psycopg import pq

from statecore.embedded import keeper
from statecore.embedded.binaries import Binaries, packaged_binaries
from statecore.embedded.errors import EmbeddedServerError
from statecore.embedded.layout import PORT, ConnectionInfo, Layout, unwritable
from statecore.embedded.locks import PAUSE, FileLock, hold_lease, is_locked, release_lease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Connected = TypeVar("Connected")


class EmbeddedServer:
    """The PostgreSQL server of the folder ``var``.

    It runs from the first ``ensure_running`` or ``connect`` of any process until the last of those processes has
    ended, whichever way it ended. Threads and processes may use it at once. A forked child counts from its own
    first use on; a program started by a client does not count. Raises EmbeddedServerError, within ``patience``
    seconds.
    """

    def __init__(self, var: Path, *, binaries: Binaries | None = None, patience: float = 60.0) -> None:
        self._layout = Layout.of(var)
        self._binaries = binaries
        self._patience = patience

    @property
    def info(self) -> ConnectionInfo:
        """The address of the database, whether or not it runs."""
        return self._layout.info

    def ensure_running(self) -> ConnectionInfo:
        """Start the server if it does not accept connections, and keep it running until this process ends."""
        deadline = time.monotonic() + self._patience
        self._hold(deadline)
        try:
            if not self._is_ready():
                with self._starting(deadline):
                    self._start(deadline)
        except OSError as error:
            raise unwritable(self._layout.root, error) from error
        return self.info

    def connect(self, open_connection: Callable[[], Connected]) -> Connected:
        """Call ``open_connection``, after starting the server if that is what it takes.

        A server that runs costs nothing extra: it is only looked at when a connection fails.
        """
        self._hold(time.monotonic() + self._patience)
        if is_locked(self._layout.keeper):
            try:
                return open_connection()
            except psycopg.OperationalError:
                pass  # it may have crashed: look, and try once more
        self.ensure_running()
        return open_connection()

    def release(self) -> None:
        """Stop counting as a user of the server before this process ends."""
        release_lease(self._layout.lease)

    def _hold(self, deadline: float) -> None:
        self._layout.prepare()
        try:
            is_held = hold_lease(self._layout.lease, deadline=deadline)
        except OSError as error:
            raise unwritable(self._layout.root, error) from error
        if not is_held:
            raise EmbeddedServerError(f"{self._layout.root}: the server is still stopping; try again soon")

    @contextmanager
    def _starting(self, deadline: float) -> Iterator[None]:
        """Be the only process that starts the server."""
        lock = FileLock(self._layout.start)
        try:
            if not lock.take(deadline=deadline):
                raise EmbeddedServerError(f"{self._layout.root}: the server is still starting; try again soon")
            yield
        finally:
            lock.close()

    def _start(self, deadline: float) -> None:
        """Wait until the server accepts connections, with a new keeper whenever there is none."""
        complaints: IO[bytes] | None = None
        try:
            while not self._is_ready():
                if complaints is not None:
                    _raise_complaint(complaints)
                elif not is_locked(self._layout.keeper):
                    complaints = self._start_keeper()
                if time.monotonic() >= deadline:
                    raise EmbeddedServerError(f"the server does not answer; its log is {self._layout.log}")
                time.sleep(PAUSE)
        finally:
            if complaints is not None:
                complaints.close()

    def _start_keeper(self) -> IO[bytes]:
        """Start a keeper, and return the pipe that carries its complaint and ends with it."""
        reading, writing = os.pipe()
        complaints = os.fdopen(reading, "rb", buffering=0)
        os.set_blocking(reading, False)
        try:
            subprocess.run(
                keeper.command(self._layout, self._binaries or packaged_binaries()),
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                check=False,
            )
        except BaseException:
            complaints.close()
            raise
        finally:
            os.close(writing)
        return complaints

    def _is_ready(self) -> bool:
        """Whether a keeper lives and its server answers a connection, if only to say that it has too many."""
        if not is_locked(self._layout.keeper):
            return False
        host = str(self._layout.run).replace("\\", "\\\\").replace("'", "\\'")
        address = f"host='{host}' port={PORT} user=statecore dbname=statecore connect_timeout=2"
        return pq.PGconn.ping(os.fsencode(address)) == pq.Ping.OK


def _raise_complaint(complaints: IO[bytes]) -> None:
    """Raise what the keeper said, or that it is gone; nothing while it lives and is silent."""
    said = complaints.read(100_000)
    if said is not None:
        raise EmbeddedServerError(said.decode(errors="replace") or "the keeper was killed; try again")
