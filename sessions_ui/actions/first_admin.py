"""The first login of a new dashboard: made once, by whoever sits at the machine or holds the printed token."""

from __future__ import annotations

import hashlib
import secrets

from django.contrib.auth.models import User
from django.db import transaction

from sessions_ui.access import ROLES
from sessions_ui.models import ALL_APPS, Grant, Setup


class AlreadySetUpError(Exception):
    """There is a login already."""


def is_set_up() -> bool:
    """Whether there is any login, active or not."""
    return User.objects.exists()


def offer_token() -> str:
    """Return a new one-time token; those offered before are void."""
    token = secrets.token_urlsafe(24)
    Setup.objects.update_or_create(id=Setup.ROW, defaults={"token_hash": _hash(token)})
    return token


def is_token(token: str) -> bool:
    """Whether this is the token that was offered last."""
    offered = Setup.objects.filter(id=Setup.ROW).values_list("token_hash", flat=True).first()
    return bool(token and offered) and secrets.compare_digest(_hash(token), offered or "")


@transaction.atomic
def make_first_admin(user: User) -> None:
    """Save ``user`` as the first login, with every right in every app; of two at once, one is AlreadySetUpError."""
    Setup.objects.get_or_create(id=Setup.ROW)
    row = Setup.objects.select_for_update().get(id=Setup.ROW)
    if is_set_up():
        raise AlreadySetUpError
    grant_everything(user)
    row.token_hash = ""
    row.save()


def grant_everything(user: User) -> None:
    """Save ``user`` with the rights of the role admin in every app."""
    user.save()
    Grant.objects.update_or_create(user=user, app_name=ALL_APPS, defaults={"rights": sorted(ROLES["admin"])})


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
