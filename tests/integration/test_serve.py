from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from sessions_ui.actions import first_admin
from sessions_ui.management.commands import serve

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django import Settings


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """A serve command that has nothing to prepare and whose processes end at once."""
    settings.HOST, settings.PORT, settings.IS_LOOPBACK, settings.VAR = "127.0.0.1", 0, False, tmp_path
    monkeypatch.setattr(serve, "call_command", lambda *_, **__: None)
    monkeypatch.setattr("sessions_ui.supervisor.Supervisor.run", lambda _: None)


@pytest.mark.django_db
@pytest.mark.usefixtures("prepared")
def test_the_end_of_one_process_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_ui.supervisor.Supervisor.run", lambda _: "worker (status 1)")
    with pytest.raises(CommandError, match=r"^worker \(status 1\) ended by itself"):
        call_command("serve")


@pytest.mark.django_db
@pytest.mark.usefixtures("prepared")
def test_a_dashboard_without_logins_prints_where_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("serve")
    found = re.search(r"http://127\.0\.0\.1:0/setup/\?token=(\S+)\n", capsys.readouterr().out)
    assert found
    assert first_admin.is_token(found[1])
    user = User.objects.create_user("kim", is_active=False)
    call_command("serve")
    assert "`manage.py create_admin` makes the first login" in capsys.readouterr().out
    user.is_active = True
    user.save()
    call_command("serve")
    said = capsys.readouterr().out
    assert "create_admin" not in said
    assert "token" not in said


@pytest.mark.django_db
@pytest.mark.usefixtures("prepared")
def test_the_demo_is_made_with_the_password_that_is_printed(
    capsys: pytest.CaptureFixture[str], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seed(name: str, **_: object) -> None:
        if name == "seed_demo":
            User.objects.create_user("viewer", password=os.environ["DEMO_PASSWORD"])

    settings.IS_LOOPBACK = True
    monkeypatch.setenv("DEMO_PASSWORD", "open sesame")
    monkeypatch.setattr(serve, "call_command", seed)
    call_command("serve")
    assert "Demo logins: viewer; password: open sesame\n" in capsys.readouterr().out
    assert User.objects.get().check_password("open sesame")


@pytest.mark.parametrize("host", ["256.0.0.1", "192.0.2.1"])
def test_an_address_of_another_machine_is_one_line(host: str) -> None:
    with pytest.raises(CommandError, match=rf"^cannot listen on {host} port 1 \(.+\): set PORT"):
        serve.require_free_port(host, 1)
