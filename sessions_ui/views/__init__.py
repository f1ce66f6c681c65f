"""One module per page family."""

from __future__ import annotations
