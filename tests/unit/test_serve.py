from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from sessions_ui.management.commands import serve

if TYPE_CHECKING:
    from pytest_django import Settings


def test_the_end_of_one_process_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.HOST, settings.PORT, settings.IS_LOOPBACK = "127.0.0.1", 0, False
    monkeypatch.setattr(serve, "call_command", lambda *_, **__: None)
    monkeypatch.setattr("sessions_ui.supervisor.Supervisor.run", lambda _: "worker (status 1)")
    with pytest.raises(CommandError, match=r"^worker \(status 1\) ended by itself"):
        call_command("serve")


@pytest.mark.parametrize("host", ["256.0.0.1", "192.0.2.1"])
def test_an_address_of_another_machine_is_one_line(host: str) -> None:
    with pytest.raises(CommandError, match=rf"^cannot listen on {host} port 1 \(.+\): set PORT"):
        serve.require_free_port(host, 1)
