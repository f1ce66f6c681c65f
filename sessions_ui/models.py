"""What the dashboard keeps for itself: who may do what in which app, and the door to the first login."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

ALL_APPS: Final = "*"


class Grant(models.Model):
    """Rights of one person in one app, or (``app_name`` is ``*``) in every app, those to come included."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="grants")
    app_name = models.TextField()
    rights = ArrayField(models.TextField(), default=list)
    create_time = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager[Grant]]

    class Meta:
        db_table = "sessions_ui_grant"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["user", "app_name"], name="sessions_ui_grant_name"),
        ]

    def __str__(self) -> str:
        return f"grant {self.pk}"


class Setup(models.Model):
    """The one row that is locked while the first login is made; it knows the one-time token by its hash."""

    ROW: Final = 1

    id = models.SmallIntegerField(primary_key=True, default=ROW)
    token_hash = models.TextField(default="")

    objects: ClassVar[models.Manager[Setup]]

    class Meta:
        db_table = "sessions_ui_setup"

    def __str__(self) -> str:
        return "setup"
