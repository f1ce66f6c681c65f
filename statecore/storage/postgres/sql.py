"""The SQL files by name: one statement each, named as the store method that runs it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def load_query(name: str) -> str:
    """Return the text of ``queries/<name>.sql``."""
    return (files("statecore.storage.postgres") / "queries" / f"{name}.sql").read_text("utf-8")
