"""The demo's three people."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from sessions_ui.access import ALL_APPS, ROLES
from sessions_ui.models import Grant


@transaction.atomic
def make_people(password: str) -> None:
    """Make ``viewer``, ``editor`` and ``admin``, each with the rights of that role in every app."""
    for role, rights in ROLES.items():
        user, _ = User.objects.get_or_create(username=role)
        user.set_password(password)
        user.save()
        Grant.objects.update_or_create(user=user, app_name=ALL_APPS, defaults={"rights": sorted(rights)})
