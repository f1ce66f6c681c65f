from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.utils import OperationalError, ProgrammingError

from sessions_ui import startup

if TYPE_CHECKING:
    from collections.abc import Sequence


def run_command_that_raises(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(arguments: Sequence[str]) -> None:
        raise error

    monkeypatch.setattr(startup, "execute_from_command_line", fail)
    startup.run_command(["manage.py", "anything"])


def test_a_database_that_is_away_ends_a_command_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"^error: the database cannot be used: refused by 127\.0\.0\.1$"):
        run_command_that_raises(monkeypatch, OperationalError("refused\n\tby 127.0.0.1"))


def test_a_setting_found_wrong_late_ends_a_command_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match=r"^error: no such broker$"):
        run_command_that_raises(monkeypatch, ImproperlyConfigured("no such\nbroker"))


def test_an_error_of_the_program_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProgrammingError, match="syntax error"):
        run_command_that_raises(monkeypatch, ProgrammingError("syntax error"))
