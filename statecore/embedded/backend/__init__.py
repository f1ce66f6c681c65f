"""Django's database backend for the embedded server: ``ENGINE = "statecore.embedded.backend"``."""

from __future__ import annotations
