"""File locks that the kernel lets go when their holder dies, however it dies.

A lock belongs to the open file. A program started by the holder does not share it unless it is given the file
on purpose; a forked copy of the holder would, which is what ``hold_lease`` undoes.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PAUSE = 0.02  # seconds between two tries


class FileLock:
    """A lock on ``path``, taken by ``take`` or ``wait``, let go by ``close`` or by death."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def fileno(self) -> int:
        """Return the open file, for handing the lock on to a child."""
        return self._file

    def is_taken(self, *, shared: bool = False) -> bool:
        """Try to take the lock without waiting; says whether it is ours now."""
        try:
            fcntl.flock(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take(self, *, deadline: float, shared: bool = False) -> bool:
        """Wait for the lock until ``deadline`` (monotonic seconds); says whether it is ours now."""
        while not self.is_taken(shared=shared):
            if time.monotonic() >= deadline:
                return False
            time.sleep(PAUSE)
        return True

    def wait(self) -> None:
        """Wait for the lock, exclusively, for however long it takes."""
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def close(self) -> None:
        """Let the lock go."""
        os.close(self._file)


def is_locked(path: Path) -> bool:
    """Whether some process holds ``path`` exclusively."""
    try:
        probe = FileLock(path)
    except OSError:
        return False
    try:
        return not probe.is_taken(shared=True)
    finally:
        probe.close()


_leases: dict[Path, FileLock] = {}
_guard = threading.Lock()


def hold_lease(path: Path, *, deadline: float) -> bool:
    """Hold ``path`` shared until this process ends; says whether it is held.

    One hold per process and path, however often it is asked for. A forked child starts without: it takes its
    own when it first connects, so a worker counts and a mere bystander does not.
    """
    with _guard:
        if path not in _leases:
            lock = FileLock(path)
            if not lock.take(deadline=deadline, shared=True):
                lock.close()
                return False
            _leases[path] = lock
        return True


def release_lease(path: Path) -> None:
    """End this process's hold on ``path``, if it has one."""
    with _guard:
        lock = _leases.pop(path, None)
        if lock is not None:
            lock.close()


def _forget_leases() -> None:
    """Close the parent's leases in a forked child; renew the guard, which another thread may have held."""
    global _guard  # a lock copied in its locked state could never be opened again
    _guard = threading.Lock()
    for lock in _leases.values():
        lock.close()
    _leases.clear()


os.register_at_fork(after_in_child=_forget_leases)
