"""`make run` as a person meets it: from an empty folder to a page, and back to nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psycopg
import pytest

from statecore.embedded import EmbeddedServer
from tests.e2e.processes import ROOT, environment, free_port, manage, processes_in, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

# One folder serves all tests of the module, on one worker: the demo takes a while to make.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("run")]


class Dashboard:
    """`make run` on a free port, with all that it printed so far."""

    def __init__(self, var: Path, **variables: str) -> None:
        self.var = var
        self.port = free_port()
        self.output = ""
        self.process = subprocess.Popen(
            ["make", "run"],
            cwd=ROOT,
            env=environment(var, PORT=str(self.port), **variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self.reader.start()
        try:
            wait_for(self.is_ready, "the dashboard")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGTERM)
        self.reader.join()
        assert self.process.stdout
        self.process.stdout.close()

    def stop(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.output
        return self.ask("/readyz")[0] == 200

    def ask(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.output += line


@pytest.fixture(scope="module")
def first_start() -> Iterator[Dashboard]:
    """A dashboard that was started in an empty folder, asked whether it lives, and ended."""
    var = Path(tempfile.mkdtemp(prefix="sc-"))
    try:
        with Dashboard(var, DEMO_PASSWORD="correct horse battery") as dashboard:
            assert dashboard.ask("/healthz") == (200, '{"status": "ok"}')
        yield dashboard
        wait_for(lambda: processes_in(var) == [], "the last process to end")
    finally:
        shutil.rmtree(var, ignore_errors=True)


@pytest.fixture
def var(first_start: Dashboard) -> Path:
    """The folder of that dashboard, where nothing runs."""
    wait_for(lambda: processes_in(first_start.var) == [], "all processes to end")
    return first_start.var


@contextmanager
def schema_of_a_later_release(var: Path) -> Iterator[None]:
    """The database as a newer release would leave it."""
    server = EmbeddedServer(var)
    try:
        with psycopg.connect(server.ensure_running().url, autocommit=True) as connection:
            connection.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES ('statecore', '9999_later', now())"
            )
            yield
            connection.execute("DELETE FROM django_migrations WHERE name = '9999_later'")
    finally:
        server.release()


def test_make_run_serves_from_an_empty_folder_until_it_is_asked_to_end(first_start: Dashboard) -> None:
    assert f"Statecore: http://127.0.0.1:{first_start.port}/\n" in first_start.output
    assert "Demo logins: viewer, editor, admin; password: correct horse battery\n" in first_start.output
    assert first_start.output.rstrip().endswith("Stopped.")
    assert "Traceback" not in first_start.output


def test_nothing_is_left_after_the_end(first_start: Dashboard) -> None:
    wait_for(lambda: processes_in(first_start.var) == [], "all processes to end")


def test_the_second_start_finds_everything_made(var: Path) -> None:
    with Dashboard(var, DEMO_PASSWORD="correct horse battery") as dashboard:
        pass
    assert "Making the demo" not in dashboard.output


def test_the_demo_logins_are_off_on_another_address(var: Path) -> None:
    with Dashboard(var, HOST="0.0.0.0") as dashboard:
        pass
    assert "Demo logins are off" in dashboard.output
    assert "password:" not in dashboard.output


def test_everything_ends_when_the_supervisor_is_killed(var: Path) -> None:
    with Dashboard(var) as dashboard:
        serving = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline") if is_serve_in(path, var)]
        assert len(serving) == 1
        os.kill(serving[0], signal.SIGKILL)
        wait_for(lambda: processes_in(var) == [], "all processes to end")
        assert dashboard.process.wait(timeout=30) != 0


def is_serve_in(cmdline: Path, var: Path) -> bool:
    try:
        words = cmdline.read_bytes().split(b"\0")
        return b"serve" in words and f"STATECORE_VAR={var}".encode() in (
            cmdline.with_name("environ").read_bytes().split(b"\0")
        )
    except OSError:
        return False


def test_a_port_in_use_is_one_line(var: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = manage("serve", var=var, PORT=str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"cannot listen on 127.0.0.1 port {port} (Address already in use)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_schema_newer_than_the_code_is_one_line_for_every_command(var: Path) -> None:
    with schema_of_a_later_release(var):
        for command in ("migrate", "clearsessions", "serve"):
            done = manage(command, var=var, PORT=str(free_port()))
            assert (done.returncode, done.stderr.count("\n")) == (1, 1)
            assert "schema is newer than this code (statecore.9999_later" in done.stderr


def test_a_database_without_tables_is_one_line(tmp_path: Path) -> None:
    done = manage("clearsessions", var=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: the database is not migrated: run `manage.py migrate` first\n"
    wait_for(lambda: processes_in(tmp_path) == [], "the server to end")


def test_readiness_names_the_reason_while_the_schema_is_newer(var: Path) -> None:
    with Dashboard(var) as dashboard, schema_of_a_later_release(var):
        status, answer = dashboard.ask("/readyz")
    assert (status, json.loads(answer)["reason"]) == (503, "schema is newer than the code")
