"""Django on the embedded server, each test in a Django process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from statecore.embedded.layout import Layout
from tests.integration.embedded_client import ROOT, is_gone, server_processes

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = """
import os, sys, time
from pathlib import Path
import django
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from statecore.management.commands.database_url import Command

var = Path(sys.argv[1])
embedded = {"ENGINE": "statecore.embedded.backend", "NAME": "statecore", "OPTIONS": {"var": str(var)},
            "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}

def configure(**database):
    settings.configure(DATABASES={"default": embedded | database}, USE_TZ=True)
    django.setup()

def select(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]

def kill_server():
    pid = int((var / "postgres/data/postmaster.pid").read_text().split()[0])
    backend = connection.connection.info.backend_pid
    os.kill(pid, 9)
    while Path(f"/proc/{backend}").exists():
        time.sleep(0.01)
"""

Run = Callable[[str], str]


@pytest.fixture
def var(tmp_path: Path) -> Iterator[Path]:
    """Give a folder for a server of which nothing may be left running."""
    folder = tmp_path / "var"
    yield folder
    assert is_gone(folder), server_processes(folder)


@pytest.fixture
def run(var: Path) -> Run:
    """Run a program in a Django process and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}

    def run_program(program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", SETTINGS + program, str(var)],
            capture_output=True,
            text=True,
            check=False,
            env=environment | {"PYTHONPATH": str(ROOT)},
        )
        assert done.stderr == ""
        return done.stdout.strip()

    return run_program


def test_first_query_starts_the_server(run: Run) -> None:
    assert run("configure(); print(select('SELECT current_database()'))") == "statecore"


def test_foreign_settings_in_the_environment_do_not_matter(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGPORT": "1", "PGHOST": "nowhere", "PGUSER": "nobody", "PGDATA": "/nowhere"}.items():
        monkeypatch.setenv(name, value)
    assert run("configure(); print(select('SELECT current_user'))") == "statecore"


def test_health_check_of_a_kept_connection_restarts_a_killed_server(run: Run) -> None:
    said = run(
        """
configure()
select("SELECT 1")
kill_server()
try:
    select("SELECT 1")
except OperationalError:
    print("unavailable")
connection.close_if_unusable_or_obsolete()
print(select("SELECT 'back'"))
"""
    )
    assert said.split() == ["unavailable", "back"]


def test_test_databases_are_made_and_dropped_beside_the_real_one(run: Run) -> None:
    said = run(
        """
configure()
name = connection.creation.create_test_db(verbosity=0, serialize=False)
print(select("SELECT current_database()"))
connection.creation.destroy_test_db("statecore", verbosity=0)
print(select("SELECT current_database()"))
print(select("SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'"))
"""
    )
    assert said.split() == ["test_statecore", "statecore", "0"]


def test_threads_of_a_process_share_one_server(run: Run) -> None:
    said = run(
        """
from concurrent.futures import ThreadPoolExecutor
configure()
def ask(_):
    started = select("SELECT pg_postmaster_start_time()")
    connection.close()
    return started
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(ask, range(8)))))
"""
    )
    assert said == "1"


def test_server_that_cannot_be_had_is_an_operational_error(run: Run, var: Path) -> None:
    var.write_text("")
    said = run(
        """
configure()
try:
    select("SELECT 1")
except OperationalError as error:
    print(error)
"""
    )
    assert said.startswith(f"cannot write to {var}/postgres")
    assert "\n" not in said


def test_setting_without_a_folder_is_refused(run: Run) -> None:
    said = run(
        """
from django.core.exceptions import ImproperlyConfigured
configure(OPTIONS={})
try:
    select("SELECT 1")
except ImproperlyConfigured as error:
    print(error)
"""
    )
    assert said.startswith('the embedded database "default" needs OPTIONS["var"]')


def test_database_url_starts_the_embedded_server_and_names_its_socket(run: Run, var: Path) -> None:
    said = run(
        """
import io, psycopg
configure()
out = io.StringIO()
call_command(Command(), stdout=out)
url, = out.getvalue().splitlines()
with psycopg.connect(url) as direct:
    print(url, direct.execute("SELECT current_database()").fetchone()[0])
"""
    )
    folder = quote(str(Layout.of(var).run), safe="")
    assert said == f"postgresql://statecore@/statecore?host={folder}&port=5432 statecore"


def test_database_url_says_in_one_line_why_there_is_none(run: Run, var: Path) -> None:
    var.write_text("")
    said = run(
        """
from django.core.management import CommandError
configure()
try:
    call_command(Command())
except CommandError as error:
    print(error)
"""
    )
    assert said.startswith(f"cannot write to {var}/postgres")


@pytest.mark.parametrize(
    ("database", "url"),
    [
        (
            {
                "HOST": "db.example",
                "PORT": 6432,
                "USER": "o'neil",
                "PASSWORD": "p@ss/word",
                "NAME": "state core",
            },
            "postgresql://o%27neil:p%40ss%2Fword@db.example:6432/state%20core",
        ),
        ({"HOST": "::1", "USER": "me", "NAME": "store"}, "postgresql://me@[::1]/store"),
        (
            {"NAME": "store", "OPTIONS": {"sslmode": "require", "pool": True}},
            "postgresql:///store?sslmode=require",
        ),
        ({"HOST": "/run/pg", "USER": "me", "NAME": "store"}, "postgresql://me@/store?host=%2Frun%2Fpg"),
    ],
)
def test_database_url_of_a_configured_server_needs_no_connection(
    run: Run, database: dict[str, object], url: str
) -> None:
    engine = {"ENGINE": "django.db.backends.postgresql", "OPTIONS": {}}
    assert run(f"configure(**{engine | database!r}); call_command(Command())") == url
