"""The embedded server seen from one process: waiting, restarting, and what it does when things stand in its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest

from statecore.embedded import EmbeddedServer, EmbeddedServerError, cluster, keeper, privileges, processes
from statecore.embedded.binaries import packaged_binaries
from statecore.embedded.layout import Layout
from statecore.embedded.locks import FileLock, is_locked
from tests.integration.embedded_client import is_gone, kill, postmaster_pid, server_processes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOON = 0.3  # seconds of patience where there is nothing to wait for


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Give a folder for a server of which nothing may be left running."""
    folder = tmp_path / "var"
    yield folder
    EmbeddedServer(folder).release()
    assert is_gone(folder), server_processes(folder)


@pytest.fixture
def layout(var: Path) -> Layout:
    """Give the server's files, with the private folder made."""
    found = Layout.of(var)
    found.prepare()
    return found


def test_running_server_is_left_as_it_is(var: Path) -> None:
    server = EmbeddedServer(var)
    server.ensure_running()
    pid = postmaster_pid(var)
    assert server.ensure_running() == server.info
    server.connect(lambda: psycopg.connect(server.info.url)).close()
    assert postmaster_pid(var) == pid


def test_failed_connection_is_tried_again_on_a_restarted_server(var: Path) -> None:
    server = EmbeddedServer(var)
    server.ensure_running()
    crashed: list[int] = []

    def open_connection() -> int:
        if not crashed:
            crashed.append(postmaster_pid(var))
            kill(*crashed)
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return postmaster_pid(var)

    assert server.connect(open_connection) not in crashed


def test_database_that_does_not_exist_stays_the_callers_error(var: Path) -> None:
    server = EmbeddedServer(var)
    server.ensure_running()
    with pytest.raises(psycopg.OperationalError, match='"elsewhere" does not exist'):
        server.connect(lambda: psycopg.connect(server.info.url, dbname="elsewhere"))


def test_stopping_server_is_waited_for_in_bounds(layout: Layout) -> None:
    stopping = FileLock(layout.lease)
    assert stopping.is_taken()
    with pytest.raises(EmbeddedServerError, match="is still stopping"):
        EmbeddedServer(layout.var, patience=SOON).ensure_running()
    stopping.close()


def test_starting_server_is_waited_for_in_bounds(layout: Layout) -> None:
    starting = FileLock(layout.start)
    assert starting.is_taken()
    with pytest.raises(EmbeddedServerError, match="is still starting"):
        EmbeddedServer(layout.var, patience=SOON).ensure_running()
    starting.close()


@pytest.mark.parametrize("lock", ["lease", "start.lock"])
def test_lock_that_cannot_be_opened_is_told_in_one_line(layout: Layout, lock: str) -> None:
    (layout.root / lock).mkdir()
    with pytest.raises(EmbeddedServerError, match=r"cannot write to .* \(Is a directory\)"):
        EmbeddedServer(layout.var).ensure_running()


def test_keeper_that_cannot_be_started_leaves_nothing_open(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(EmbeddedServerError, match="No such file or directory"):
        EmbeddedServer(layout.var).ensure_running()


def test_data_that_is_no_folder_is_told_in_one_line(layout: Layout) -> None:
    layout.data.write_text("")
    with pytest.raises(EmbeddedServerError, match=r"cannot write to .* \(Not a directory\)"):
        EmbeddedServer(layout.var).ensure_running()


def test_second_keeper_gives_up_on_the_first(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "PATIENCE", SOON)
    first = FileLock(layout.keeper)
    assert first.is_taken()
    with pytest.raises(EmbeddedServerError, match="another process keeps the server"):
        keeper.keep(layout, packaged_binaries())
    first.close()


def test_earlier_server_that_will_not_end_is_named(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "PATIENCE", SOON)
    earlier = FileLock(layout.server)
    assert earlier.is_taken()
    with pytest.raises(EmbeddedServerError, match=f"end its processes \\(named {layout.mark}\\)"):
        keeper.take_over(layout)
    earlier.close()


def test_lock_in_a_folder_that_is_not_there_is_not_held(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "missing" / "lock")


def test_long_log_is_set_aside_at_the_next_start(layout: Layout) -> None:
    layout.log.write_bytes(b"old\n" * (cluster.LOG_LIMIT // 4 + 1))
    EmbeddedServer(layout.var).ensure_running()
    assert (layout.root / "log.1").stat().st_size > cluster.LOG_LIMIT
    assert layout.log.stat().st_size < 10_000


@pytest.mark.parametrize(("deaf_to", "ended_by"), [("INT", signal.SIGQUIT), ("INT QUIT", signal.SIGKILL)])
def test_server_that_does_not_stop_is_stopped_harder(
    deaf_to: str, ended_by: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "STOPS", tuple((number, SOON) for number, _ in cluster.STOPS))
    script = f"trap '' {deaf_to}; echo ready; exec sleep 600"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE) as server:
        assert server.stdout
        assert server.stdout.readline() == b"ready\n"
        cluster.stop(server)
        assert server.returncode == -ended_by


def test_leftovers_are_told_from_others_by_the_clusters_name() -> None:
    commands = {
        1: "/opt/bin/postgres -D /srv/data -c cluster_name=statecore-1",
        2: "postgres: statecore-1: checkpointer",
        3: "postgres: statecore-12: checkpointer",
        4: "grep cluster_name=statecore-1",
        5: "vim postgres: statecore-1: notes",
    }
    found = processes.leftovers("statecore-1", commands)
    assert found == [processes.Leftover(1, is_postmaster=True), processes.Leftover(2, is_postmaster=False)]


@pytest.mark.parametrize(("spent", "ended_by"), [(0.0, signal.SIGINT), (16.0, signal.SIGQUIT), (30.0, signal.SIGKILL)])
def test_leftover_is_asked_to_stop_ever_harder(tmp_path: Path, spent: float, ended_by: signal.Signals) -> None:
    script = "echo ready; read line"
    words = [str(tmp_path / "postgres"), "-c", script, "cluster_name=statecore-asked"]
    with subprocess.Popen(words, executable="/bin/sh", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as leftover:
        assert leftover.stdout
        assert leftover.stdout.readline() == b"ready\n"
        processes.ask_to_stop("statecore-asked", patience_spent=spent)
        assert leftover.wait(10) == -ended_by


def test_processes_are_found_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ps").write_text("#!/bin/sh\necho '    7 postgres: statecore-1: checkpointer '\n")
    (tmp_path / "ps").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(processes, "PROC", tmp_path / "proc")
    assert processes.command_lines() == {7: "postgres: statecore-1: checkpointer"}


def test_ordinary_user_has_no_other_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert {identity.uid for identity in privileges.identities()} == {1000}
    assert [identity.prefix for identity in privileges.identities()] == [("setpriv", "--pdeathsig", "INT"), ()]


def test_root_without_capabilities_has_only_a_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(privileges, "STATUS", tmp_path / "no such file")
    (only,) = privileges.identities()
    assert only.prefix[:2] == ("unshare", "--user")


def test_system_without_nobody_has_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def have_no_account(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(privileges, "effective_capabilities", lambda: -1)
    monkeypatch.setattr("pwd.getpwnam", have_no_account)
    first, *_ = privileges.identities()
    assert first.uid == first.gid == privileges.OVERFLOW_UID
