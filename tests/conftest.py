"""What every test stands on: one folder and one embedded server a run, and the programs that some tests need.

With CI=true a test that is skipped has failed: there, everything that tests need has to be present.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
import pytest
from django.db import connection, connections
from hypothesis import HealthCheck, settings

from statecore.embedded import Binaries, ConnectionInfo, EmbeddedServer
from statecore.embedded.layout import Layout
from statecore.embedded.locks import is_locked

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
IS_CI = os.environ.get("CI") == "true"
IS_XDIST_WORKER = "PYTEST_XDIST_WORKER" in os.environ
OLDEST_POSTGRES = Path("/usr/lib/postgresql/15/bin")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
REAL_SESSIONS = ROOT.parent / "shared" / "real-sessions"
# Set for a dashboard, these would change what the tests see.
DASHBOARD_VARIABLES = (
    "ALLOWED_HOSTS",
    "CELERY_BROKER_URL",
    "CSRF_TRUSTED_ORIGINS",
    "DEBUG",
    "DEMO_PASSWORD",
    "HOST",
    "HSTS_SECONDS",
    "HTTPS",
    "LOGIN_FAILURE_LIMIT",
    "LOGIN_TIMEOUT",
    "LOG_LEVEL",
    "PORT",
    "SECRET_KEY",
)

if not IS_XDIST_WORKER:
    for variable in DASHBOARD_VARIABLES:
        os.environ.pop(variable, None)
    # Short, for the path of a socket in it has to fit into 100 bytes. The workers inherit it.
    os.environ["STATECORE_VAR"] = tempfile.mkdtemp(prefix="sc-")
    # For a run that fails before it has begun; any other removes the folder when its server has stopped.
    atexit.register(shutil.rmtree, os.environ["STATECORE_VAR"], ignore_errors=True)
os.environ["DJANGO_SETTINGS_MODULE"] = "sessions_ui.settings"
VAR = Path(os.environ["STATECORE_VAR"])

django.setup()

# A property is wrong when it fails, not when a busy machine is slow. Its examples share the store of a fixture and
# therefore make their own sessions.
settings.register_profile(
    "busy-machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("busy-machine")


def pytest_configure(config: pytest.Config) -> None:
    """Give pages the static files as a real start gives them, once for all workers."""
    if not IS_XDIST_WORKER and not config.option.collectonly:
        command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity=0"]
        subprocess.run(command, cwd=ROOT, check=True)


def pytest_unconfigure() -> None:
    """Wait for the run's server to stop, then remove the run's folder."""
    EmbeddedServer(VAR).release()
    if IS_XDIST_WORKER:
        return
    deadline = time.monotonic() + 60
    while is_locked(Layout.of(VAR).keeper) and time.monotonic() < deadline:
        time.sleep(0.05)
    shutil.rmtree(VAR, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one where nothing may be missing."""
    report = yield
    if IS_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole modules."""
    report = yield
    if IS_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {_reason(report.longrepr)}"
    return report


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Let tables be emptied after a test that commits, although triggers keep audit records from everyone."""
    operations = type(connection.ops)
    make_flush = operations.sql_flush

    def flush_past_triggers(self: Any, style: Any, tables: Sequence[str], **options: Any) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
            guarded = sorted({name for (name,) in cursor.fetchall()} & set(tables))
        return [
            *(f"ALTER TABLE {name} DISABLE TRIGGER USER" for name in guarded),
            *make_flush(self, style, tables, **options),
            *(f"ALTER TABLE {name} ENABLE TRIGGER USER" for name in guarded),
        ]

    with pytest.MonkeyPatch.context() as patch:
        # Of the class: under a browser's event loop, Django opens another connection than before.
        patch.setattr(operations, "sql_flush", flush_past_triggers)
        yield


@pytest.fixture(scope="session")
def browser(django_db_setup: None, browser: Any) -> Iterator[Any]:
    """Close the connection that the browser's event loop had before the database goes: it would be in use."""
    yield browser
    connections.close_all()


def _reason(longrepr: object) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)


@pytest.fixture(scope="session")
def real_sessions() -> Path:
    """The folder of sessions that users of ADK recorded; it lies beside the checkout, never in it."""
    if not REAL_SESSIONS.is_dir():
        pytest.skip("no ../shared/real-sessions beside this checkout")
    return REAL_SESSIONS


@pytest.fixture(scope="session")
def postgres15() -> Iterator[ConnectionInfo]:
    """An empty database on the oldest PostgreSQL that is supported, in a folder of its own."""
    if not (OLDEST_POSTGRES / "postgres").exists():
        pytest.skip("no PostgreSQL 15: apt-get install postgresql-15")
    folder = Path(tempfile.mkdtemp(prefix="pg15-", dir=VAR))
    server = EmbeddedServer(folder, binaries=Binaries.at(OLDEST_POSTGRES))
    yield server.ensure_running()
    server.release()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the system's Chromium; as root, its sandbox does not work."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    # Playwright keeps an event loop in the tests' own thread, which Django takes for an asynchronous program.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    return {**browser_type_launch_args, "executable_path": found, "args": arguments}
