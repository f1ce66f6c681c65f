"""Migrations of the dashboard's own tables."""

from __future__ import annotations
