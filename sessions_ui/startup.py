"""How every process of the project begins: it reads the settings; what makes that impossible is one line."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import InterfaceError, OperationalError, ProgrammingError

if TYPE_CHECKING:
    from collections.abc import Sequence

UNDEFINED_TABLE = "42P01"


def read_settings() -> None:
    """Read the settings, or end the process with status 1 and one line that says what is wrong with them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sessions_ui.settings")
    try:
        settings.INSTALLED_APPS  # noqa: B018 - the first attribute reads the module
    except ImproperlyConfigured as error:
        sys.exit(f"error: {one_line(error)}")


def run_command(arguments: Sequence[str]) -> None:
    """Run a management command; a database that cannot be used is one line and status 1."""
    read_settings()
    try:
        execute_from_command_line(list(arguments))
    except (InterfaceError, OperationalError) as error:
        sys.exit(f"error: the database cannot be used: {one_line(error)}")
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) != UNDEFINED_TABLE:
            raise
        sys.exit("error: the database is not migrated: run `manage.py migrate` first")
    except ImproperlyConfigured as error:
        sys.exit(f"error: {one_line(error)}")


def one_line(error: Exception) -> str:
    """The message of ``error`` without line breaks."""
    return " ".join(str(error).split())
