"""What the settings take from the environment, checked; errors name the variable, never a secret."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

if TYPE_CHECKING:
    from pathlib import Path

SCHEMES = ("postgres", "postgresql")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def private_folder(folder: Path) -> Path:
    """``folder``, made if it was missing, readable by its owner alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"STATECORE_VAR: cannot make {folder} ({error.strerror}); set it to a folder that can be written"
        ) from error
    return folder


def kept_secret(path: Path, *, length: int = 64) -> str:
    """The random text in ``path``; made at first use, so that several processes agree on it from then on."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="ascii")
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(length))
        with contextlib.suppress(FileExistsError):
            # A link, not a rename: of two processes at once, the first one's secret stays.
            path.hardlink_to(draft)
        draft.unlink()
    except OSError as error:
        raise ImproperlyConfigured(f"cannot write {path} ({error.strerror}); make its folder writable") from error
    return path.read_text(encoding="ascii")


def database(url: str | None, var: Path) -> dict[str, Any]:
    """Django's settings for the database at ``url``, or for the embedded one in ``var`` if there is none."""
    if not url:
        found: dict[str, Any] = {
            "ENGINE": "statecore.embedded.backend",
            "NAME": "statecore",
            "OPTIONS": {"var": str(var)},
        }
    else:
        found = _database_at(url)
    return found | {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}


def _database_at(url: str) -> dict[str, Any]:
    complaint = (
        "DATABASE_URL is not the address of a PostgreSQL database: write postgresql://USER:PASSWORD@HOST:5432/NAME"
    )
    try:
        parts = urlsplit(url)
        # Asked first, for the parser only warns of the rest, and repeats the password.
        if parts.scheme not in SCHEMES or parts.port == 0 or len(parts.path) < 2:
            raise ImproperlyConfigured(complaint)
        found: dict[str, Any] = dict(environ.Env.db_url_config(url))
    except ValueError as error:
        raise ImproperlyConfigured(complaint) from error
    found["ENGINE"] = "django.db.backends.postgresql"
    found.setdefault("OPTIONS", {}).setdefault("connect_timeout", 10)
    return found


def broker(url: str | None, var: Path) -> dict[str, Any]:
    """Celery's settings for the broker at ``url``, or for one made of files in ``var`` if there is none."""
    if url:
        return {"broker_url": url, "broker_connection_retry_on_startup": True}
    folder = private_folder(var / "celery")
    queue, control = (private_folder(folder / name) for name in ("queue", "control"))
    return {
        "broker_url": "filesystem://",
        "broker_transport_options": {
            "data_folder_in": str(queue),
            "data_folder_out": str(queue),
            "control_folder": str(control),
            "store_processed": False,
        },
        # Answers to remote control would pile up as files, and there is only one machine to control.
        "worker_enable_remote_control": False,
    }


def port(value: str) -> int:
    """The port number in ``value``."""
    if not value.isascii() or not value.isdigit() or not 0 < int(value) < 65536:
        raise ImproperlyConfigured(f"PORT is {value!r}: write a number from 1 to 65535")
    return int(value)
