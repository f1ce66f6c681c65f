from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from statecore.core.ids import OwnerKey, SessionKey, slot_of, slot_of_id
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from statecore.service.port import SessionStore

ODD = [
    "ana@example.com",
    "a/b//c",
    "../..",
    ".",
    "%2F",
    "#top?x=1&y=2",
    " ",
    "x y ",
    "👩‍🚀",
    "אנה",
    "é",
    "e\u0301",
    "{}\",\\NULL'",
    "a" * 128,
    "🛒" * 128,
    "null",
]


@pytest.mark.parametrize("name", ODD)
def test_any_text_is_an_id(store: SessionStore, name: str) -> None:
    key = SessionKey(f"{make_key().app_name[:10]}{name}"[:128], name, name)
    create(store, key, state={f"user:{name}": name})
    append(store, key, make_event(event_id=name, delta={name: name}, author=name))
    assert [session.key for session in store.list_sessions(key.app_name, name)] == [key]
    found = read(store, key)
    assert (found.key, found.events[0].event_id, found.events[0].author) == (key, name, name)
    assert found.state == {name: name, f"user:{name}": name}
    assert store.list_history(key, name)[0].session_key == key
    receipt = store.delete_session(key, rule="person", actor="operator:kim")
    assert receipt is not None
    assert receipt.key == key


def test_ids_that_look_alike_are_different(store: SessionStore) -> None:
    app_name = make_key().app_name
    names = ["é", "e\u0301", "E", "e", "e ", "\uff45"]
    for name in names:
        create(store, SessionKey(app_name, name, "trip"), state={"user:name": name})
    assert {session.key.user_id: session.state["user:name"] for session in store.list_sessions(app_name)} == {
        name: name for name in names
    }


def test_numeric_ids_end_in_the_slot_of_their_user_or_app(store: SessionStore) -> None:
    session = create(store)
    user_slot = slot_of(session.key.app_name, session.key.user_id)
    assert slot_of_id(session.id) == slot_of_id(session.user_owner_id) == user_slot
    assert slot_of_id(session.app_owner_id) == slot_of(session.key.app_name)
    assert store.get_owner_state(OwnerKey(session.key.app_name)).owner_id == session.app_owner_id
