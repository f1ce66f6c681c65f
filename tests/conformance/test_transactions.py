from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from statecore.core.actors import Actor
from statecore.core.audit import AuditEntry
from statecore.core.delta import StateDelta
from statecore.core.errors import EventExistsError, SessionExistsError, SessionNotFoundError, StaleSessionError
from statecore.core.ids import OwnerKey
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore


class Stop(Exception):
    pass


def test_calls_in_a_transaction_commit_together(store: SessionStore) -> None:
    with store.transaction():
        session = create(store, state={"app:a": 1})
        append(store, session, make_event(delta={"b": 2}))
        assert read(store, session).revision == 1
    assert read(store, session).state == {"app:a": 1, "b": 2}


def test_nothing_is_left_of_a_transaction_that_raises(store: SessionStore) -> None:
    kept = create(store, state={"a": 1, "app:a": 1})
    doomed = create(store, make_key(app_name=kept.key.app_name, user_id="bob"), state={"a": 1})
    new = make_key(app_name=kept.key.app_name, user_id="eve")
    append(store, kept, make_event(delta={"a": 2}))
    before = [read(store, kept), read(store, doomed)]
    with suppress(Stop), store.transaction():
        append(store, kept, make_event(delta={"a": 3, "app:a": 3, "user:n": 1}))
        store.append_events(kept.key, [make_event(delta={"b": 1})])
        store.correct_state(kept.key, StateDelta({"c": 1}, ("a",)))
        store.delete_session(doomed.key, rule="person", actor="operator:kim")
        create(store, new, state={"user:x": 1})
        raise Stop
    assert [read(store, kept), read(store, doomed)] == before
    assert [entry.change.value for entry in store.list_history(kept.key, "a")] == [2, 1]
    assert store.list_history(OwnerKey(kept.key.app_name, kept.key.user_id), "n") == []
    assert store.get_session(new) is None
    assert store.get_owner_state(OwnerKey(new.app_name, new.user_id)).owner_id is None


def test_transaction_raises_what_its_block_raised(store: SessionStore) -> None:
    with pytest.raises(Stop), store.transaction():
        raise Stop


def test_block_inside_a_transaction_rolls_back_alone(store: SessionStore) -> None:
    session = create(store)
    with store.transaction():
        append(store, session, make_event(delta={"a": 1}))
        with suppress(Stop), store.transaction():
            append(store, session, make_event(delta={"b": 2}))
            raise Stop
        with store.transaction():
            append(store, session, make_event(delta={"c": 3}))
    found = read(store, session)
    assert (found.state, found.revision) == ({"a": 1, "c": 3}, 2)


def test_block_that_committed_inside_one_that_raises_is_undone(store: SessionStore) -> None:
    session = create(store)
    with suppress(Stop), store.transaction():
        with store.transaction():
            append(store, session, make_event(delta={"a": 1}))
        raise Stop
    assert read(store, session).revision == 0


def test_refused_calls_leave_a_transaction_usable(store: SessionStore) -> None:
    session = create(store)
    event = make_event(event_id="e1", delta={"a": 1})
    with store.transaction():
        append(store, session, event)
        with pytest.raises(StaleSessionError):
            append(store, session, expected_revision=9)
        with pytest.raises(EventExistsError):
            append(store, session, make_event(event_id="e1", output=1))
        with pytest.raises(EventExistsError):
            store.append_events(session.key, [make_event(delta={"b": 1}), event])
        with pytest.raises(SessionNotFoundError):
            append(store, make_key())
        with pytest.raises(SessionExistsError):
            create(store, session.key)
        assert append(store, session, event).is_repeat
        append(store, session, make_event(delta={"c": 3}))
    found = read(store, session)
    assert (found.state, found.revision) == ({"a": 1, "c": 3}, 2)


def test_audit_records_are_numbered_upwards(store: SessionStore) -> None:
    session = create(store)
    entry = AuditEntry(
        Actor.operator("kim"),
        "delete",
        owner=OwnerKey(session.key.app_name, "ana"),
        session_id=session.id,
        seq=0,
        reason="asked",
        ticket="T-1",
        origin="page",
        detail={"keys": ["a"]},
    )
    ids = [store.record_audit(each) for each in (entry, entry, AuditEntry(Actor.process("sweep"), "sweep"))]
    assert ids == sorted(set(ids))
