"""The zone of a connection is nobody's business: what is stored and read is the same moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import psycopg
import pytest

from statecore.core.ids import OwnerKey
from statecore.storage.postgres import PostgresStore, PsycopgConnections
from tests.builders import append, create, make_event, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from statecore.service.port import SessionStore

pytestmark = pytest.mark.django_db  # sets the database up; nothing here goes through Django

FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)


@pytest.fixture(params=["Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kathmandu"])
def store(request: pytest.FixtureRequest, conninfo: str) -> Iterator[SessionStore]:
    with psycopg.connect(conninfo, options=f"-c timezone={request.param}") as connection:
        yield PostgresStore(PsycopgConnections(connection))


def test_times_at_the_ends_of_the_calendar_are_read_in_any_zone(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:a": 1}, create_time=FIRST, expire_time=LAST)
    assert (session.create_time, session.expire_time) == (FIRST, LAST)
    assert read(store, session) == store.list_sessions(session.key.app_name)[0] == session
    for target in (session.key, OwnerKey(session.key.app_name, session.key.user_id)):
        assert store.list_history(target, "a")[0].receive_time == FIRST


def test_every_time_comes_back_in_utc(store: SessionStore) -> None:
    before = datetime.now(UTC) - timedelta(minutes=5)
    session = create(store, state={"a": 0})
    event = make_event(delta={"a": 1})
    appended = append(store, session, event)
    found = read(store, session)
    repeated = append(store, session, event)
    newest = store.list_history(session.key, "a")[0]
    receipt = store.delete_session(session.key, rule="person", actor="operator:kim")
    assert receipt is not None
    stored = appended.event.receive_time
    assert found.receive_time == found.events[0].receive_time == repeated.event.receive_time == newest.receive_time
    assert stored == found.receive_time
    times = [stored, found.create_time, found.expire_time, repeated.event.receive_time, receipt.delete_time]
    assert all(time.tzinfo is UTC for time in times)
    assert newest.receive_time is not None
    assert newest.receive_time.tzinfo is UTC
    assert before < found.create_time <= stored <= receipt.delete_time < before + timedelta(minutes=10)
