"""A fresh embedded PostgreSQL with our schema, the peer's database and the floor's table."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BenchDatabase:
    """Where the variants connect: the same server, by the same socket."""

    dsn: str
    asyncpg_url: str


@contextmanager
def open_database(folder: Path) -> Iterator[BenchDatabase]:
    """Start a server in ``folder``, migrate it, and stop it at the end."""
    os.environ["STATECORE_VAR"] = str(folder)
    os.environ.pop("DATABASE_URL", None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "sessions_ui.settings"
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    info = connection.connection.info
    dsn = psycopg.conninfo.make_conninfo(host=info.host, port=info.port, user=info.user, dbname=info.dbname)
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute("CREATE TABLE bench_event (LIKE statecore_event INCLUDING ALL)")
        admin.execute("CREATE DATABASE adk")
        settings = admin.execute("SELECT version(), current_setting('shared_buffers'), current_setting('fsync')")
        print(*settings.fetchone() or (), sep=", ", flush=True)
    url = f"postgresql+asyncpg://{info.user}@/adk?host={info.host}&port={info.port}"
    yield BenchDatabase(dsn, url)
