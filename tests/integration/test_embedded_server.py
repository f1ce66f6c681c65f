"""The embedded server's life: who starts it, who keeps it, and what it survives. All with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from statecore.embedded.layout import Layout
from tests.integration.embedded_client import (
    PATIENCE,
    Client,
    eventually,
    is_alive,
    is_gone,
    keeper_pid,
    kill,
    postmaster_pid,
    server_processes,
)

Start = Callable[[], Client]


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Give a folder for a server of its own, of which nothing may be left running."""
    folder = tmp_path / "var"
    yield folder
    assert is_gone(folder), server_processes(folder)


@pytest.fixture
def start(var: Path) -> Iterator[Start]:
    """Start client processes that are gone at the end of the test."""
    clients: list[Client] = []

    def begin() -> Client:
        clients.append(Client(var))
        return clients[-1]

    yield begin
    for client in clients:
        client.kill()


@pytest.fixture
def client(start: Start) -> Client:
    """Give a client with one committed row."""
    client = start()
    assert client.ask("CREATE TABLE kept AS SELECT 41 AS value") == "done"
    return client


def test_server_starts_on_first_use_and_stops_with_its_client(var: Path, start: Start) -> None:
    client = start()
    assert not server_processes(var)
    assert client.ask("SELECT current_user || ' ' || current_database()") == "statecore statecore"
    client.end()
    assert is_gone(var)


def test_server_is_utf8_utc_and_durable(client: Client) -> None:
    assert client.ask("SHOW server_encoding") == "UTF8"
    assert client.ask("SHOW timezone") == "UTC"
    assert client.ask("SHOW fsync") == client.ask("SHOW synchronous_commit") == "on"
    assert client.ask("SELECT 'Z' < 'a'") == "True"


def test_server_listens_on_a_private_socket_only(var: Path, client: Client) -> None:
    assert client.ask("SHOW listen_addresses") == ""
    for folder in (Layout.of(var).root, Layout.of(var).run, Layout.of(var).data):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_role_of_the_database_is_no_superuser(client: Client) -> None:
    assert client.ask("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "False"


def test_clients_that_start_at_once_on_an_empty_folder_share_one_server(var: Path, start: Start) -> None:
    clients = [start() for _ in range(4)]
    for client in clients:
        client.say("SELECT pg_postmaster_start_time()")
    answers = {client.hear() for client in clients}
    assert len(answers) == 1
    assert answers.pop().startswith("20")
    postmasters = [command for command in server_processes(var).values() if "cluster_name=" in command]
    assert len(postmasters) == 1


def test_server_stops_after_kill_9_of_its_only_client(var: Path, client: Client) -> None:
    client.kill()
    assert is_gone(var)


def test_server_stays_until_its_last_client_ends(var: Path, start: Start, client: Client) -> None:
    other = start()
    assert other.ask("SELECT value FROM kept") == "41"
    pid = postmaster_pid(var)
    client.kill()
    time.sleep(0.5)
    assert other.ask("SELECT value FROM kept") == "41"
    assert postmaster_pid(var) == pid
    other.end()
    assert is_gone(var)


def test_server_survives_an_interrupt_sent_to_its_clients_terminal(var: Path, client: Client) -> None:
    keeper = keeper_pid(var)
    assert os.getsid(keeper) != os.getsid(client.process.pid)


def test_data_is_there_at_the_second_start_within_seconds(start: Start, client: Client) -> None:
    client.end()
    begun = time.monotonic()
    assert start().ask("SELECT value FROM kept") == "41"
    assert time.monotonic() - begun < 10


def test_next_connection_restarts_a_killed_server(var: Path, client: Client) -> None:
    killed = postmaster_pid(var)
    kill(killed)
    assert client.ask("SELECT value FROM kept") == "41"
    assert postmaster_pid(var) != killed


def test_next_connection_follows_the_recovery_from_a_killed_backend(var: Path, client: Client) -> None:
    backend = next(pid for pid, command in server_processes(var).items() if "checkpointer" in command)
    kill(backend)
    assert eventually(lambda: client.ask("SELECT value FROM kept") == "41")
    assert not is_alive(backend)


def test_killed_keeper_takes_the_server_along_and_the_next_connection_restarts_both(var: Path, client: Client) -> None:
    keeper, server = keeper_pid(var), postmaster_pid(var)
    kill(keeper)
    assert eventually(lambda: not is_alive(server))
    assert client.ask("SELECT value FROM kept") == "41"
    assert keeper_pid(var) != keeper


def test_connection_in_the_moment_of_the_keepers_death_finds_a_server(var: Path, client: Client) -> None:
    kill(keeper_pid(var))
    assert eventually(lambda: client.ask("SELECT value FROM kept") == "41", within=10)
    assert is_alive(keeper_pid(var))


def test_server_starts_after_kill_9_of_client_and_server_together(var: Path, start: Start, client: Client) -> None:
    kill(postmaster_pid(var), client.process.pid)
    assert start().ask("SELECT value FROM kept") == "41"


def test_server_starts_after_kill_9_of_everything(var: Path, start: Start, client: Client) -> None:
    kill(keeper_pid(var), postmaster_pid(var), client.process.pid)
    assert start().ask("SELECT value FROM kept") == "41"


def test_orphan_busy_with_a_query_does_not_hold_up_the_next_start(var: Path, start: Start, client: Client) -> None:
    client.say("SELECT count(*) FROM generate_series(1, 1000000000) AS a, generate_series(1, 1000) AS b")
    busy = start()
    active = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
    assert eventually(lambda: busy.ask(active) == "1")
    kill(keeper_pid(var), postmaster_pid(var))
    assert busy.ask("SELECT value FROM kept") == "41"
    assert client.hear().startswith("OperationalError")


def test_stale_pid_file_does_not_matter_when_its_pid_lives_again(var: Path, start: Start, client: Client) -> None:
    layout = Layout.of(var)
    pid_file, socket_lock = layout.data / "postmaster.pid", layout.run / ".s.PGSQL.5432.lock"
    stale = {path: path.read_text() for path in (pid_file, socket_lock)}
    old_pid = str(postmaster_pid(var))
    client.end()
    assert is_gone(var)
    # Of the server's own user: PostgreSQL takes a process of anyone else for no server of its own.
    with subprocess.Popen(["sleep", "600"], user=layout.data.stat().st_uid) as stranger:
        try:
            for path, text in stale.items():
                if not path.parent.is_dir():
                    continue  # a short folder for the socket goes with its server
                path.write_text(text.replace(old_pid, str(stranger.pid), 1))
            assert start().ask("SELECT value FROM kept") == "41"
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_terminated_keeper_stops_the_server_in_order(var: Path, client: Client) -> None:
    os.kill(keeper_pid(var), signal.SIGTERM)
    assert is_gone(var)
    assert "database system is shut down" in Layout.of(var).log.read_text()
    assert client.ask("SELECT value FROM kept") == "41"


def test_unfinished_data_folder_is_made_anew(var: Path, start: Start) -> None:
    unfinished = Layout.of(var).unfinished_data
    unfinished.mkdir(parents=True)
    (unfinished / "half").write_text("")
    assert start().ask("SELECT 1") == "1"


def test_forked_worker_that_connects_keeps_the_server(var: Path, client: Client) -> None:
    client.say("&SELECT pg_backend_pid()")
    assert client.hear().isdigit()
    children = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text()
    client.process.kill()
    time.sleep(0.5)
    assert is_alive(postmaster_pid(var))
    kill(*map(int, children.split()))
    client.end()


def test_child_that_ends_leaves_its_parents_hold_alone(var: Path, client: Client) -> None:
    pid = postmaster_pid(var)
    assert client.ask("?") == "0"
    time.sleep(0.5)
    assert client.ask("SELECT value FROM kept") == "41"
    assert postmaster_pid(var) == pid


def test_strangers_and_bystanders_do_not_keep_the_server(var: Path, client: Client) -> None:
    bystander, stranger = map(int, client.ask("!").split())
    client.process.kill()
    try:
        assert is_gone(var)
        assert is_alive(bystander)
        assert is_alive(stranger)
    finally:
        kill(bystander, stranger)
    client.process.wait(PATIENCE)


def test_log_tells_nothing_of_values(var: Path, client: Client) -> None:
    assert client.ask("CREATE TABLE person (name text PRIMARY KEY, age int)") == "done"
    assert client.ask("INSERT INTO person VALUES ('zebulon', 1)") == "done"
    assert client.ask("INSERT INTO person VALUES ('zebulon', 2)").startswith("UniqueViolation")
    assert client.ask("SELECT 'zebulon'::int").startswith("InvalidTextRepresentation")
    assert "zebulon" not in Layout.of(var).log.read_text()
