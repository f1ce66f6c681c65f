"""The periodic task on a real worker and a real scheduler, over both kinds of broker."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from sessions_ui.supervisor import read_procfile, stop_all
from tests.e2e.processes import ROOT, environment, processes_in, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="sc-"))
    yield path
    shutil.rmtree(path)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    if shutil.which("redis-server") is None:
        pytest.skip("no Redis: apt-get install redis-server")
    socket = folder / "redis.sock"
    command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        wait_for(socket.exists, "Redis")
        yield f"redis+socket://{socket}"
        server.terminate()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("broker", ["files", pytest.param("redis", marks=pytest.mark.broker)])
def test_expired_login_sessions_are_cleared_when_the_scheduler_starts(broker: str, folder: Path) -> None:
    now = timezone.now()
    Session.objects.create(session_key="expired", session_data="", expire_date=now - timedelta(minutes=1))
    Session.objects.create(session_key="alive", session_data="", expire_date=now + timedelta(hours=1))
    host, name = quote(connection.settings_dict["HOST"], safe=""), connection.settings_dict["NAME"]
    commands = read_procfile(ROOT / "Procfile")
    with ExitStack() as stack:
        variables = environment(
            folder,
            DATABASE_URL=f"postgresql://{connection.settings_dict['USER']}@/{name}?host={host}",
            CELERY_BROKER_URL=stack.enter_context(redis(folder)) if broker == "redis" else "",
        )
        processes = [
            subprocess.Popen(commands[name], cwd=ROOT, env=variables, start_new_session=True)
            for name in ("worker", "beat")
        ]
        stack.callback(stop_all, processes)
        wait_for(lambda: not Session.objects.filter(session_key="expired").exists(), "the task")
    assert list(Session.objects.values_list("session_key", flat=True)) == ["alive"]
    assert processes_in(folder) == []
