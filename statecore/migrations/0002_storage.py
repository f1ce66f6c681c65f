"""Keys with the slot, storage parameters, the append-only trigger and the functions of the hot paths."""

from __future__ import annotations

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


def _run(name: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        (_SQL / f"{name}.sql").read_text("utf-8"),
        reverse_sql=(_SQL / f"{name}_reverse.sql").read_text("utf-8"),
    )


class Migration(migrations.Migration):
    """Runs after the tables exist."""

    dependencies = [("statecore", "0001_initial")]

    operations = [_run("tables"), _run("functions")]
