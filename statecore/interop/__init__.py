"""Readers of other people's files: ADK session JSON, replay files, our own exports."""

from __future__ import annotations
