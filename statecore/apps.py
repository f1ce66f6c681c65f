"""The Django app of the package."""

from __future__ import annotations

from django.apps import AppConfig


class StatecoreConfig(AppConfig):
    """Registers the tables, migrations and commands of ``statecore``."""

    name = "statecore"
    label = "statecore"
    verbose_name = "Statecore"
