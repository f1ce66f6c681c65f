"""The dashboard: a Django project around the package statecore."""

from __future__ import annotations
