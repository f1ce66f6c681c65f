from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from sessions_ui import access

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django import Settings

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def fast_hashes(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Say something on standard input."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Answer the questions of a terminal in their order."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def answer(*answers: str | type[BaseException]) -> None:
        rest = iter(answers)

        def ask(question: str) -> str:
            said = next(rest)
            if isinstance(said, str):
                return said
            raise said

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("getpass.getpass", ask)

    return answer


def test_admin_can_do_everything(pipe: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    pipe(f"{PASSWORD}\n")
    call_command("create_admin", "kim")
    user = User.objects.get(username="kim")
    assert user.check_password(PASSWORD)
    assert access.grants_of(user) == {access.ALL_APPS: frozenset(access.RIGHTS)}
    assert capsys.readouterr().out == "kim can sign in, with every right in every app.\n"


def test_password_is_asked_for_twice_on_a_terminal(terminal: Callable[..., None]) -> None:
    terminal(PASSWORD, PASSWORD)
    call_command("create_admin", "kim")
    assert User.objects.get().check_password(PASSWORD)


def test_two_different_passwords_make_nobody(terminal: Callable[..., None]) -> None:
    terminal(PASSWORD, "another")
    with pytest.raises(CommandError, match="the two passwords differ"):
        call_command("create_admin", "kim")
    assert not User.objects.exists()


@pytest.mark.parametrize("interruption", [EOFError, KeyboardInterrupt])
def test_interruption_makes_nobody(terminal: Callable[..., None], interruption: type[BaseException]) -> None:
    terminal(interruption)
    with pytest.raises(CommandError, match="nothing was made"):
        call_command("create_admin", "kim")
    assert not User.objects.exists()


@pytest.mark.parametrize(("name", "reason"), [("kim", "already exists"), ("k im", "valid username"), ("", "blank")])
def test_name_that_cannot_be_is_refused_in_one_line(pipe: Callable[[str], None], name: str, reason: str) -> None:
    User.objects.create_user("kim", password="mine")
    pipe(f"{PASSWORD}\n")
    with pytest.raises(CommandError, match=reason) as caught:
        call_command("create_admin", name)
    assert "\n" not in str(caught.value)
    assert User.objects.get().check_password("mine")


def test_weak_password_is_refused(pipe: Callable[[str], None]) -> None:
    pipe("kim\n")
    with pytest.raises(CommandError, match="too short"):
        call_command("create_admin", "kim")
    assert not User.objects.exists()
