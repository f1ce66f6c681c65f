"""Every test here runs over every registered store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.test.utils import setup_databases, teardown_databases
from psycopg.conninfo import make_conninfo

from tests.conformance.backends import BACKENDS, Backend, Opener
from tests.e2e.processes import manage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from _pytest.mark import ParameterSet
    from pytest_django import DjangoDbBlocker

    from statecore.embedded import ConnectionInfo
    from statecore.service.port import SessionStore


@pytest.fixture(scope="module")
def conninfo(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Where the tests' database is, for stores that commit; what they stored goes when the module ends."""
    with django_db_blocker.unblock():
        # pytest-django makes it for marked tests; of a run without any, this would be somebody's own.
        is_made = connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX)
        made = [] if is_made else setup_databases(verbosity=0, interactive=False)
        connection.ensure_connection()
        info = connection.connection.info
        found = make_conninfo(info.dsn, password=info.password)
        connection.close()
    yield found
    with django_db_blocker.unblock():
        call_command("flush", interactive=False, verbosity=0)
        connection.close()
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def oldest_conninfo(postgres15: ConnectionInfo, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the oldest PostgreSQL is, with every table; it goes with the run."""
    done = manage("migrate", "--verbosity=0", var=tmp_path_factory.mktemp("var"), DATABASE_URL=postgres15.url)
    assert (done.returncode, done.stderr) == (0, "")
    return postgres15.url


def as_params(backends: Iterable[Backend]) -> list[ParameterSet]:
    return [pytest.param(backend, id=backend.name, marks=backend.marks) for backend in backends]


@pytest.fixture(params=as_params(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each registered backend in its turn; a test that is a known divergence of it has to fail."""
    chosen: Backend = request.param
    name = request.node.originalname
    if name in chosen.divergences:
        request.applymarker(pytest.mark.xfail(strict=True, reason=chosen.divergences[name]))
    return chosen


@pytest.fixture
def store(request: pytest.FixtureRequest, backend: Backend) -> Iterator[SessionStore]:
    """An open store of each backend. Tests use apps of their own, so that what others stored does not matter."""
    with backend.make(request) as open_store:
        yield open_store()


@pytest.fixture(params=as_params(backend for backend in BACKENDS if backend.is_shared))
def open_store(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens stores for several threads on the same data."""
    with request.param.make(request) as opener:
        yield opener
