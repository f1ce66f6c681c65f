"""The demo's logins: they work on this machine alone.

A demo login is a user of one of three names whose password is the one kept in ``STATECORE_VAR``. A person who took one
of the names, or changed its password, owns it: it is left alone.
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from django.contrib.auth.models import User

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("viewer", "editor", "admin")
FILE = "demo_password"


def kept_password(var: Path) -> str | None:
    """The password that the demo logins have, None if there never was a demo in ``var``."""
    try:
        return (var / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def keep_password(var: Path, password: str) -> None:
    """Note, for its owner's eyes only, the password that the demo logins have from now on."""
    draft = var / f"{FILE}.new"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(password)
    draft.replace(var / FILE)


def choose_password(var: Path, wanted: str | None) -> str:
    """The wanted password, else the kept one, else a new one."""
    return wanted or kept_password(var) or secrets.token_urlsafe(9)


def allow(var: Path, password: str) -> list[str]:
    """Let the demo logins in with ``password``, and return their names."""
    kept = kept_password(var)
    users = _demo_users(kept)
    for user in users:
        if kept != password or not user.is_active:
            user.set_password(password)
            user.is_active = True
            user.save()
    keep_password(var, password)
    return [user.username for user in users]


def refuse(var: Path) -> None:
    """Let no demo login in, nor stay in, until they are allowed again."""
    for user in _demo_users(kept_password(var)):
        user.is_active = False
        user.save()


def _demo_users(kept: str | None) -> list[User]:
    if kept is None:
        return []
    found = User.objects.filter(username__in=NAMES)
    return sorted((user for user in found if user.check_password(kept)), key=lambda user: NAMES.index(user.username))
