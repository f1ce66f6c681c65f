"""As whom the embedded server runs, started by root of several powers and by an ordinary user."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from statecore.embedded.layout import Layout
from statecore.embedded.privileges import DAC_OVERRIDE, DAC_READ_SEARCH
from tests.integration.embedded_client import Client, is_gone, postmaster_pid, server_processes

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become less than root")

# What a container runtime commonly leaves to root: neither CAP_DAC_READ_SEARCH nor CAP_SYS_PTRACE.
CONTAINER = (
    "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,"
    "+sys_chroot,+mknod,+audit_write,+setfcap"
)
IN_CONTAINER = ("setpriv", f"--bounding-set={CONTAINER}")
WITHOUT_OTHER_USERS = ("unshare", "--user", "--map-root-user")
ORDINARY = 65534
# The capability only lets the interpreter be found, wherever the tests are.
AS_ORDINARY_USER = (
    "setpriv",
    f"--reuid={ORDINARY}",
    f"--regid={ORDINARY}",
    "--clear-groups",
    "--securebits=+no_setuid_fixup",
    "--inh-caps=-all,+dac_read_search",
    "--ambient-caps=-all,+dac_read_search",
)

Start = Callable[..., Client]


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Give a folder inside a private one, for a server of which nothing may be left running."""
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    yield private / "var"
    assert is_gone(private / "var"), server_processes(private / "var")


@pytest.fixture
def start(var: Path) -> Iterator[Start]:
    """Start client processes that are gone at the end of the test."""
    clients: list[Client] = []

    def begin(prefix: Sequence[str] = ()) -> Client:
        clients.append(Client(var, prefix=prefix))
        return clients[-1]

    yield begin
    for client in clients:
        if client.process.poll() is None:
            client.kill()


def capabilities(pid: int) -> int:
    """Read the effective capabilities of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))


@as_root
def test_root_runs_the_server_as_nobody_with_one_capability(var: Path, start: Start) -> None:
    assert start().ask("SELECT 1") == "1"
    assert Path(f"/proc/{postmaster_pid(var)}").stat().st_uid == Layout.of(var).data.stat().st_uid != 0
    assert capabilities(postmaster_pid(var)) == 1 << DAC_READ_SEARCH


@as_root
def test_private_folders_of_root_stay_private(var: Path, start: Start) -> None:
    folders = (*var.parents, var, Layout.of(var).root)
    var.mkdir(mode=0o700)
    before = {folder: folder.stat().st_mode for folder in folders if folder.exists()}
    assert start().ask("SELECT 1") == "1"
    assert {folder: folder.stat().st_mode for folder in before} == before
    assert Layout.of(var).root.stat().st_mode & 0o777 == 0o700
    assert Layout.of(var).root.stat().st_uid == 0


@as_root
def test_root_of_a_container_runs_the_server_with_what_it_has(var: Path, start: Start) -> None:
    client = start(IN_CONTAINER)
    assert client.ask("CREATE TABLE kept AS SELECT 41 AS value") == "done"
    assert capabilities(postmaster_pid(var)) == 1 << DAC_OVERRIDE
    client.kill()
    assert is_gone(var)
    assert start(IN_CONTAINER).ask("SELECT value FROM kept") == "41"


@as_root
def test_root_without_other_users_runs_the_server_in_a_namespace(var: Path, start: Start) -> None:
    client = start(WITHOUT_OTHER_USERS)
    assert client.ask("SELECT 1") == "1"
    assert Layout.of(var).data.stat().st_uid == 0
    assert capabilities(postmaster_pid(var)) == 0
    client.kill()
    assert is_gone(var)


@as_root
def test_data_made_in_a_namespace_serves_the_root_that_has_other_users(var: Path, start: Start) -> None:
    first = start(WITHOUT_OTHER_USERS)
    assert first.ask("CREATE TABLE kept AS SELECT 41 AS value") == "done"
    first.end()
    assert start().ask("SELECT value FROM kept") == "41"


@as_root
def test_root_with_neither_way_is_told_in_one_line(var: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    answer = start().ask("SELECT 1")
    assert answer.startswith("EmbeddedServerError: PostgreSQL refuses to run as root")
    assert answer.endswith("set DATABASE_URL to a PostgreSQL server")


@as_root
def test_ordinary_user_runs_the_server_as_itself(var: Path, start: Start) -> None:
    os.chown(var.parent, ORDINARY, ORDINARY)
    client = start(AS_ORDINARY_USER)
    assert client.ask("CREATE TABLE kept AS SELECT 41 AS value") == "done"
    assert Layout.of(var).root.stat().st_uid == Layout.of(var).data.stat().st_uid == ORDINARY
    client.kill()
    assert is_gone(var)
    assert start(AS_ORDINARY_USER).ask("SELECT value FROM kept") == "41"


@as_root
def test_ordinary_user_needs_no_setpriv(var: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(var.parent, ORDINARY, ORDINARY)
    setpriv = shutil.which("setpriv")
    assert setpriv
    monkeypatch.setenv("PATH", "/nonexistent")
    assert start((setpriv, *AS_ORDINARY_USER[1:])).ask("SELECT 1") == "1"


@as_root
def test_folder_of_another_user_is_refused_in_one_line(var: Path, start: Start) -> None:
    first = start()
    assert first.ask("SELECT 1") == "1"
    os.chown(var.parent, ORDINARY, ORDINARY)
    os.chown(var, ORDINARY, ORDINARY)
    answer = start(AS_ORDINARY_USER).ask("SELECT 1")
    assert "belongs to another user" in answer
    assert "set STATECORE_VAR to another folder" in answer
