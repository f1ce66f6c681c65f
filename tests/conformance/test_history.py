from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from statecore.core.delta import REMOVED, Change, ChangeKind
from statecore.core.ids import OwnerKey, SessionKey
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.core.sessions import HistoryEntry
    from statecore.service.port import SessionStore


def as_target(key: SessionKey, prefix: str) -> SessionKey | OwnerKey:
    """Return what holds the keys with this prefix for a session."""
    if prefix == "":
        return key
    return OwnerKey(key.app_name, key.user_id if prefix == "user:" else None)


def values(entries: list[HistoryEntry]) -> list[object]:
    return [entry.change.value for entry in entries]


def test_history_of_a_session_key_has_every_write_newest_first(store: SessionStore) -> None:
    session = create(store, state={"a": 0, "b": 0})
    append(store, session, make_event(event_id="e1", delta={"a": 1}), make_event(delta={"b": 1}))
    append(
        store,
        session,
        make_event(event_id="e3", removes=("a",), author="bot"),
        make_event(event_id="e4", delta={"a": 1}),
    )
    history = store.list_history(session.key, "a")
    assert [entry.change for entry in history] == [
        Change("a", 1, 4),
        Change("a", REMOVED, 3),
        Change("a", 1, 1),
        Change("a", 0, 0, ChangeKind.BASELINE),
    ]
    assert [(entry.event_id, entry.author) for entry in history] == [
        ("e4", "agent"),
        ("e3", "bot"),
        ("e1", "agent"),
        (None, None),
    ]
    assert {(entry.session_id, entry.session_key) for entry in history} == {(session.id, session.key)}


def test_history_has_the_time_of_each_event_and_of_the_creation(store: SessionStore) -> None:
    start = datetime.now(UTC).replace(microsecond=123456)
    session = create(store, state={"a": 0, "user:a": 0}, now=start)
    append(store, session, make_event(delta={"a": 1, "user:a": 1}, timestamp=1.0), now=start + timedelta(seconds=1))
    for prefix in ("", "user:"):
        times = [entry.receive_time for entry in store.list_history(as_target(session.key, prefix), "a")]
        assert times == [start + timedelta(seconds=1), start]


def test_history_names_keys_with_their_prefix(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:a": 2, "app:a": 3, "app:": 4, "user:app:a": 5})
    asked = [("", "a"), ("user:", "a"), ("app:", "a"), ("app:", ""), ("user:", "app:a")]
    found = [
        (entry.change.key, entry.change.value)
        for prefix, name in asked
        for entry in store.list_history(as_target(session.key, prefix), name)
    ]
    assert found == [("a", 1), ("user:a", 2), ("app:a", 3), ("app:", 4), ("user:app:a", 5)]


@pytest.mark.parametrize("prefix", ["user:", "app:"])
def test_history_of_a_shared_key_spans_sessions(store: SessionStore, prefix: str) -> None:
    first = create(store, state={f"{prefix}a": 0})
    second = create(store, make_key(app_name=first.key.app_name, session_id="other"))
    append(store, second, make_event(event_id="e1", delta={f"{prefix}a": 1}, timestamp=5.0))
    append(store, first, make_event(event_id="e2", delta={f"{prefix}a": 2}, timestamp=4.0))
    target = as_target(first.key, prefix)
    history = store.list_history(target, "a")
    assert values(history) == [2, 1, 0]
    assert [entry.session_key for entry in history] == [first.key, second.key, first.key]
    assert [entry.event_id for entry in history] == ["e2", "e1", None]


@pytest.mark.parametrize("prefix", ["user:", "app:"])
def test_history_of_a_shared_key_survives_the_session_that_wrote_it(store: SessionStore, prefix: str) -> None:
    session = create(store, state={f"{prefix}a": 0, "a": 0})
    append(store, session, make_event(delta={f"{prefix}a": 1}))
    store.delete_session(session.key, rule="person", actor="operator:kim")
    target = as_target(session.key, prefix)
    history = store.list_history(target, "a")
    assert [(entry.change.value, entry.change.seq) for entry in history] == [(1, 1), (0, 0)]
    assert {
        (entry.session_id, entry.session_key, entry.event_id, entry.author, entry.receive_time) for entry in history
    } == {(None, None, None, None, None)}
    assert create(store, session.key).state == {f"{prefix}a": 1}


def test_history_names_no_session_that_has_expired(store: SessionStore) -> None:
    past = datetime.now(UTC) - timedelta(days=2)
    session = create(store, state={"user:a": 0}, ttl=timedelta(days=1), now=past)
    (entry,) = store.list_history(OwnerKey(session.key.app_name, session.key.user_id), "a")
    assert (entry.change.value, entry.session_id, entry.session_key) == (0, None, None)


def test_history_of_a_session_made_again_starts_empty(store: SessionStore) -> None:
    key = create(store, state={"a": 0, "user:a": 0}).key
    store.delete_session(key, rule="person", actor="operator:kim")
    again = create(store, key, state={"user:a": 1})
    assert store.list_history(key, "a") == []
    history = store.list_history(OwnerKey(key.app_name, key.user_id), "a")
    assert [(entry.change.value, entry.session_id) for entry in history] == [(1, again.id), (0, None)]


@pytest.mark.parametrize("prefix", ["", "user:", "app:"])
@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_pages_of_a_history_neither_skip_nor_repeat(store: SessionStore, prefix: str, limit: int) -> None:
    session = create(store, state={f"{prefix}a": 0})
    target = as_target(session.key, prefix)
    append(store, session, *(make_event(delta={f"{prefix}a": n}) for n in range(1, 7)))
    seen: list[object] = []
    before = None
    while len(seen) <= 7 and (page := store.list_history(target, "a", before=before, limit=limit)):
        assert len(page) <= limit
        seen += values(page)
        before = page[-1].position
        append(store, session, make_event(delta={f"{prefix}a": "new"}))
    assert seen == [6, 5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize("number", [2**31, 2**63, 2**70])
def test_numbers_of_a_page_may_be_as_large_as_they_like(store: SessionStore, number: int) -> None:
    session = create(store, state={"a": 0, "user:a": 0})
    append(store, session, make_event(delta={"a": 1, "user:a": 1}))
    for prefix in ("", "user:"):
        target = as_target(session.key, prefix)
        assert values(store.list_history(target, "a", before=number, limit=number)) == [1, 0]


def test_history_of_what_was_never_written_is_empty(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    for prefix in ("", "user:", "app:"):
        assert store.list_history(as_target(session.key, prefix), "b") == []
        assert store.list_history(as_target(make_key(), prefix), "a") == []
    for prefix in ("user:", "app:"):
        assert store.list_history(as_target(session.key, prefix), "a") == []


def test_history_of_another_users_session_is_empty(store: SessionStore) -> None:
    key = create(store, state={"a": 1}).key
    assert store.list_history(make_key(app_name=key.app_name, user_id="bob"), "a") == []


def test_refused_appends_leave_no_history(store: SessionStore) -> None:
    session = create(store, state={"a": 0})
    event = make_event(event_id="e1", delta={"a": 1})
    append(store, session, event)
    append(store, session, event)
    assert values(store.list_history(session.key, "a")) == [1, 0]
    assert read(store, session).revision == 1
