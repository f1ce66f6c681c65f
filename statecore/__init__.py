"""Scoped, event-sourced session state on PostgreSQL for agents built with the Agent Development Kit."""

from __future__ import annotations
