from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from statecore.core.ids import OwnerKey
from statecore.core.sessions import Receipt
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_deleted_session_leaves_a_receipt(store: SessionStore) -> None:
    session = create(store, now=NOON)
    append(store, session, make_event(), make_event(), now=NOON)
    receipt = store.delete_session(session.key, rule="person", actor="operator:kim", now=NOON)
    assert receipt == Receipt(session.id, session.key, NOON, "person", "operator:kim", 2)


def test_deleting_a_missing_session_does_nothing(store: SessionStore) -> None:
    session = create(store)
    other = make_key(app_name=session.key.app_name, user_id="bob")
    assert store.delete_session(other, rule="person", actor="operator:kim") is None
    assert store.delete_session(session.key, rule="person", actor="operator:kim") is not None
    assert store.delete_session(session.key, rule="person", actor="operator:kim") is None


def test_deleted_session_is_gone(store: SessionStore) -> None:
    session = create(store, state={"a": 1})
    append(store, session, make_event(delta={"a": 2}))
    store.delete_session(session.key, rule="person", actor="operator:kim")
    assert store.get_session(session.key) is None
    assert store.list_sessions(session.key.app_name) == []
    assert store.get_state_at(session.key, 0) is None
    assert store.list_history(session.key, "a") == []


def test_deleting_leaves_other_sessions_and_shared_state(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2, "app:c": 3})
    others = [
        create(store, make_key(app_name=session.key.app_name, session_id="other"), state={"a": "mine"}),
        create(store, make_key(app_name=session.key.app_name, user_id="bob"), state={"a": "mine"}),
    ]
    append(store, session, make_event(event_id="e1"))
    for other in others:
        append(store, other, make_event(event_id="e1"))
    before = [read(store, other) for other in others]
    store.delete_session(session.key, rule="person", actor="operator:kim")
    assert [read(store, other) for other in others] == before
    assert store.get_owner_state(OwnerKey(session.key.app_name)).state == {"c": 3}
    assert store.get_owner_state(OwnerKey(session.key.app_name, session.key.user_id)).state == {"b": 2}


def test_session_made_again_starts_empty_with_another_numeric_id(store: SessionStore) -> None:
    session = create(store, state={"a": 1, "user:b": 2}, display_name="Tea")
    append(store, session, make_event(event_id="e1", delta={"c": 1}, errorCode="E"))
    store.delete_session(session.key, rule="person", actor="operator:kim")
    again = create(store, session.key)
    assert again.id != session.id
    assert (again.revision, again.events, again.error_count, again.display_name) == (0, (), 0, "")
    assert again.state == {"user:b": 2}
    assert not append(store, again, make_event(event_id="e1", output="another body")).is_repeat
