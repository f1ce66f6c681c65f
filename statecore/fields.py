"""A column type of our own: JSON kept as the text that came in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    TextField = models.TextField[str | None, str | None]
else:  # Django's fields take no type arguments at run time
    TextField = models.TextField


class VerbatimJSONField(TextField):
    """PostgreSQL ``json`` (not ``jsonb``), read and written as text.

    ``jsonb`` loses key order, -0.0, 1e308's spelling and U+0000; Django's own JSONField over a ``json`` column
    fails on read with psycopg 3, which has parsed the value already.
    """

    description = "JSON as text, verbatim"

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """Return the column type."""
        return "json"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        """Read the column as text, before the driver can parse it."""
        return f"{sql}::text", params

    def get_placeholder(self, value: Any, compiler: Any, connection: BaseDatabaseWrapper) -> str:
        """Write text into the json column."""
        return "%s::json"
