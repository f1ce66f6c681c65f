"""The keeper: the parent process of the server, which ends it when the last process that uses it has ended.

It is a process of its own because its clients may die at any moment. It waits for the exclusive lock on the
lease, which the kernel grants once no client is left. If it dies itself, the kernel tells the server to stop
(``--pdeathsig``); if the server dies, it ends, and the next client starts both anew.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from statecore.embedded.binaries import Binaries
from statecore.embedded.cluster import ADVICE, Cluster, complaint, stop
from statecore.embedded.errors import EmbeddedServerError
from statecore.embedded.layout import Layout, unwritable
from statecore.embedded.locks import FileLock
from statecore.embedded.privileges import choose_identity
from statecore.embedded.processes import ask_to_stop

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence

PATIENCE = 60.0  # seconds for the processes of a server that lost its keeper to end
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


def command(layout: Layout, binaries: Binaries) -> list[str]:
    """Return the command that becomes a keeper; what it prints is the reason why it could not."""
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); "
        "from statecore.embedded.keeper import main; main(sys.argv[1:])"
    )
    arguments = [str(PACKAGE_ROOT), str(layout.var), str(binaries.folder), str(binaries.major)]
    return [sys.executable, "-I", "-c", program, *arguments]


def main(arguments: Sequence[str]) -> None:
    """Leave the caller's family and session, and keep the server until it is no longer needed."""
    if os.fork():
        os._exit(0)  # the caller waits for this process only, and never has to bury the keeper
    os.setsid()
    os.umask(0o077)
    var, folder, major = arguments
    layout = Layout(Path(var))
    os.chdir(layout.root)
    try:
        keep(layout, Binaries(Path(folder), int(major)))
    except EmbeddedServerError as error:
        report(str(error))
    except OSError as error:
        report(str(unwritable(layout.root, error)))


def report(reason: str) -> None:
    """Print ``reason`` for the client that started this keeper, if it still listens."""
    with contextlib.suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), reason.encode())


def keep(layout: Layout, binaries: Binaries) -> None:
    """Run the server until its last client ends, it ends by itself, or somebody terminates the keeper."""
    alive = FileLock(layout.keeper)
    if not alive.take(deadline=time.monotonic() + PATIENCE):
        alive.close()
        raise EmbeddedServerError(f"another process keeps the server in {layout.root}; try again")
    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: events.put("terminated"))
    cluster = Cluster(layout, binaries, choose_identity(binaries.postgres), take_over(layout))
    cluster.create()
    log_start = layout.log.stat().st_size if layout.log.exists() else 0
    server = cluster.start()
    _watch(events, server, layout)
    has_ended = events.get() == "ended"
    if not has_ended:
        stop(server)
    if not layout.has_short_path:
        shutil.rmtree(layout.run.parent, ignore_errors=True)
    if has_ended:
        raise EmbeddedServerError(_epitaph(layout, log_start))


def take_over(layout: Layout) -> FileLock:
    """Make what is left of an earlier server end; return the lock that says that nothing is."""
    lock = FileLock(layout.server)
    begun = time.monotonic()
    while not lock.take(deadline=time.monotonic() + 0.5):
        spent = time.monotonic() - begun
        if spent > PATIENCE:
            lock.close()
            raise EmbeddedServerError(
                f"an earlier server still works in {layout.data}: end its processes (named {layout.mark}) and try again"
            )
        ask_to_stop(layout.mark, patience_spent=spent)
    return lock


def _watch(events: queue.SimpleQueue[str], server: subprocess.Popen[bytes], layout: Layout) -> None:
    """Tell ``events`` of the server's end and of the last client's, each awaited without polling."""
    lease = FileLock(layout.lease)

    def await_clients() -> None:
        lease.wait()
        events.put("unused")

    def await_server() -> None:
        server.wait()
        events.put("ended")

    for wait in (await_clients, await_server):
        threading.Thread(target=wait, daemon=True).start()


def _epitaph(layout: Layout, log_start: int) -> str:
    with layout.log.open("rb") as log:
        log.seek(min(log_start, layout.log.stat().st_size))
        output = log.read().decode(errors="replace")
    return f"PostgreSQL ended ({complaint(output)}); the log is {layout.log}: {ADVICE}"
