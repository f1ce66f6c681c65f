"""Storage: one port, two backends (memory is the reference, PostgreSQL is the product)."""

from __future__ import annotations
