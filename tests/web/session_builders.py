"""Sessions for tests of pages, made through the store like everybody's."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User

from sessions_ui import wiring
from sessions_ui.access import ALL_APPS
from sessions_ui.models import Grant
from statecore.core.delta import StateDelta, make_delta
from statecore.core.events import parse_event
from statecore.core.ids import SessionKey
from statecore.core.scopes import Scope, parse_key, split_state
from statecore.core.sessions import NewSession, Origin, Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from django.test import Client

START = 1796079885.0
_numbers = itertools.count(1)


def make_session(
    *events: Mapping[str, Any],
    state: Mapping[str, Any] | None = None,
    app_name: str = "shop",
    user_id: str = "ana@example.com",
    session_id: str | None = None,
    origin: Origin = Origin.CREATED,
    display_name: str = "",
) -> Session:
    """Create a session with these events and return it as it then is."""
    key = SessionKey(app_name, user_id, session_id or f"trip-{next(_numbers)}")
    new = NewSession(key=key, state=split_state(state or {}), origin=origin, display_name=display_name)
    wiring.store().create_session(new)
    append(key, *events, is_imported=origin is Origin.IMPORTED)
    return reload(key)


def append(key: SessionKey, *events: Mapping[str, Any], is_imported: bool = False) -> None:
    """Append events in their order; what they leave out is made up."""
    parsed = [
        parse_event(
            {"author": "agent", **event},
            new_id=lambda: f"made-{next(_numbers)}",
            now=START + position,
            is_imported=is_imported,
        )
        for position, event in enumerate(events)
    ]
    if is_imported:  # without shared state, as imports are unless asked for more
        parsed = [replace(event, delta=_own(event.delta)) for event in parsed]
    wiring.store().append_events(key, parsed)


def _own(delta: StateDelta) -> StateDelta:
    values = {key: value for key, value in delta.values.items() if parse_key(key)[0] is Scope.SESSION}
    return StateDelta(values, delta.removed)


def reload(key: SessionKey) -> Session:
    """Return the session as it now is."""
    session = wiring.store().get_session(key)
    assert session is not None
    return session


def says(text: str, **more: Any) -> dict[str, Any]:
    """Return an event that says something."""
    return {"content": {"role": "model", "parts": [{"text": text}]}, **more}


def writes(delta: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return an event that only writes state."""
    return {"actions": {"stateDelta": dict(delta)}, **more}


def edits(*, sets: Mapping[str, Any] | None = None, removes: Iterable[str] = (), **more: Any) -> dict[str, Any]:
    """Return an operator's event as an import brings it."""
    ours = {"removed": list(removes), "reason": "asked by phone", "operator": "kim"}
    return {**writes(sets or {}, author="operator:kim"), "customMetadata": {"statecore": ours}, **more}


def store_recorded(path: Path, *, app_name: str = "recorded", user_id: str = "ana@example.com") -> Session:
    """Store a recorded session or replay, its final state included, as an import does."""
    document = json.loads(path.read_text("utf-8"))
    final = {key: value for key, value in document.get("state", {}).items() if ":" not in key}
    written = {key for event in document["events"] for key in _delta(event)}
    key = SessionKey(app_name, user_id, path.name)
    baseline = {name: value for name, value in final.items() if name not in written}
    new = NewSession(key=key, state=split_state(baseline), origin=Origin.IMPORTED)
    store = wiring.store()
    store.create_session(new)
    append(key, *document["events"], is_imported=True)
    fold = dict(reload(key).scoped_state.session)
    changed = {name: value for name, value in final.items() if name not in fold or fold[name] != value}
    removed = tuple(name for name in fold if name not in final) if "state" in document else ()
    if changed or removed:
        store.correct_state(key, make_delta(changed, removed))
    return reload(key)


def _delta(event: Mapping[str, Any]) -> Mapping[str, Any]:
    actions = event.get("actions") or {}
    return actions.get("stateDelta") or actions.get("state_delta") or {}


def sign_in(client: Client, *, app_name: str = ALL_APPS, rights: tuple[str, ...] = ("read",)) -> Client:
    """Sign a new person in with a grant, and return the client."""
    user = User.objects.create_user(f"person-{next(_numbers)}")
    Grant.objects.create(user=user, app_name=app_name, rights=list(rights))
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
