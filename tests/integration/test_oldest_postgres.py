from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.e2e.processes import manage

if TYPE_CHECKING:
    from pathlib import Path

    from statecore.embedded import ConnectionInfo

pytestmark = pytest.mark.postgres15


def test_migrations_make_every_table_on_the_oldest_postgres(postgres15: ConnectionInfo, tmp_path: Path) -> None:
    done = manage("migrate", "--verbosity=0", var=tmp_path, DATABASE_URL=postgres15.url)
    assert (done.returncode, done.stderr) == (0, "")
    with psycopg.connect(postgres15.url) as connection:
        assert connection.info.server_version // 10_000 == 15
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE tablename ~ '^statecore_'").fetchall()
    assert ("statecore_event",) in tables
    assert manage("migrate", "--check", var=tmp_path, DATABASE_URL=postgres15.url).returncode == 0
