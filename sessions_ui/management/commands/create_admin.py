"""`manage.py create_admin`: a login with every right in every app."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from sessions_ui.actions.first_admin import grant_everything

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Makes a login; an existing one is left alone."""

    help = "Make a login with every right in every app. The password is asked for, or read from standard input."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the login, or say in one line why not."""
        user = User(username=options["username"])
        try:
            user.full_clean(exclude=["password"])
            password = _read_password()
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user.set_password(password)
        with transaction.atomic():
            grant_everything(user)
        self.stdout.write(f"{user.username} can sign in, with every right in every app.")


def _read_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    try:
        password = getpass.getpass("Password: ")
        again = getpass.getpass("Password again: ")
    except (EOFError, KeyboardInterrupt) as error:
        raise CommandError("no password was given; nothing was made") from error
    if password != again:
        raise CommandError("the two passwords differ; nothing was made")
    return password
