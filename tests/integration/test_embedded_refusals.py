"""What the embedded server says when it cannot be had: one line, with what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from statecore.embedded import Binaries, EmbeddedServer, EmbeddedServerError
from statecore.embedded.binaries import packaged_binaries
from statecore.embedded.layout import LONGEST_SOCKET_PATH, Layout
from tests.integration.embedded_client import ROOT, Client, is_gone, keeper_pid, server_processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONE_TRY = """
import sys
from pathlib import Path
from statecore.embedded import EmbeddedServer, EmbeddedServerError
try:
    print(EmbeddedServer(Path(sys.argv[1])).ensure_running().url)
except EmbeddedServerError as error:
    print(error)
"""


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Give a folder for a server of which nothing may be left running."""
    folder = tmp_path / "var"
    yield folder
    assert is_gone(folder), server_processes(folder)


def refusal(server: EmbeddedServer) -> str:
    """Return what the server says when it is asked to run."""
    with pytest.raises(EmbeddedServerError) as caught:
        server.ensure_running()
    server.release()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_data_folder_of_another_release_is_refused(var: Path) -> None:
    server = EmbeddedServer(var)
    server.ensure_running()
    server.release()
    assert is_gone(var)
    (Layout.of(var).data / "PG_VERSION").write_text("17\n")
    said = refusal(server)
    assert "was made by PostgreSQL 17, and this is PostgreSQL 18" in said
    assert "set STATECORE_VAR to a new folder" in said


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = refusal(EmbeddedServer(tmp_path / "file" / "var"))
    assert said.startswith(f"cannot write to {tmp_path}/file/var/postgres (Not a directory)")
    assert "set STATECORE_VAR" in said


def test_private_folder_behind_a_link_is_refused(var: Path, tmp_path: Path) -> None:
    var.mkdir()
    (tmp_path / "elsewhere").mkdir()
    Layout.of(var).root.symlink_to(tmp_path / "elsewhere")
    assert "set STATECORE_VAR to another folder" in refusal(EmbeddedServer(var))


def test_rights_of_the_private_folder_are_narrowed(var: Path) -> None:
    root = Layout.of(var).root
    root.mkdir(parents=True, mode=0o755)
    Layout.of(var).prepare()
    assert root.stat().st_mode & 0o777 == 0o700


def test_full_disk_is_told_with_what_to_do(tmp_path: Path) -> None:
    mounted = tmp_path / "small"
    mounted.mkdir()
    script = 'mount -t tmpfs -o size=8m none "$1" && exec "$2" -c "$3" "$1/var"'
    namespace = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--mount")
    said = subprocess.run(
        [*namespace, "sh", "-c", script, "sh", mounted, sys.executable, ONE_TRY],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ).stdout
    assert said.startswith("could not make the database in ")
    assert "No space left on device" in said
    assert "make room" in said
    assert said.count("\n") == 1
    assert is_gone(mounted / "var")


def test_server_that_ends_at_once_is_told_with_its_own_words(var: Path) -> None:
    server = EmbeddedServer(var)
    server.ensure_running()
    server.release()
    assert is_gone(var)
    (Layout.of(var).data / "global" / "pg_control").unlink()
    assert "PostgreSQL ended (" in (said := refusal(server))
    assert "pg_control" in said
    assert str(Layout.of(var).log) in said


def test_machine_without_the_package_is_told_to_use_a_server() -> None:
    with pytest.raises(EmbeddedServerError, match="set DATABASE_URL to a PostgreSQL server"):
        packaged_binaries("no_such_package")


def test_programs_that_do_not_run_here_are_refused(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_bytes(b"\x7fELF of another machine")
    (tmp_path / "postgres").chmod(0o755)
    with pytest.raises(EmbeddedServerError, match="do not run on this machine"):
        Binaries.at(tmp_path)


def test_program_that_is_not_postgresql_is_refused(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("#!/bin/sh\necho hello\n")
    (tmp_path / "postgres").chmod(0o755)
    with pytest.raises(EmbeddedServerError, match="is not PostgreSQL"):
        Binaries.at(tmp_path)


def test_newest_packaged_server_is_used() -> None:
    assert packaged_binaries().major == 18


def test_long_path_gets_a_short_private_socket_folder(tmp_path: Path) -> None:
    var = tmp_path / ("long" * 30)
    client = Client(var)
    assert client.ask("SELECT 1") == "1"
    run = Layout.of(var).run
    assert len(os.fsencode(run)) < LONGEST_SOCKET_PATH
    assert run.parent.stat().st_mode & 0o777 == run.stat().st_mode & 0o777 == 0o700
    client.end()
    assert is_gone(var)
    assert not run.parent.exists()


def test_occupied_short_socket_folder_is_refused(tmp_path: Path) -> None:
    var = tmp_path / ("long" * 30)
    parent = Layout.of(var).run.parent
    parent.symlink_to(tmp_path)
    try:
        assert "belongs to another user" in refusal(EmbeddedServer(var))
    finally:
        parent.unlink()


def test_waiting_for_a_starting_server_ends_in_time(var: Path) -> None:
    client = Client(var)
    assert client.ask("SELECT 1") == "1"
    os.kill(keeper_pid(var), 19)
    impatient = EmbeddedServer(var, patience=0.3)
    os.kill(next(p for p, c in server_processes(var).items() if "cluster_name=" in c), 19)
    try:
        assert "does not answer" in refusal(impatient)
    finally:
        for pid in server_processes(var):
            os.kill(pid, 18)
    client.end()
