"""The demo: weeks of work of five invented apps, the same for the same seed and day."""

from __future__ import annotations
