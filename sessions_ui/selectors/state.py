"""State of a session as of one event: one probe of the history for each key that exists or existed."""

from __future__ import annotations

from typing import Any, Final

from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import JSONObject

from sessions_ui.presenters.records import ABSENT, HeldValue, KeyRecord
from sessions_ui.selectors.timeline import (
    JSON,
    MAX_POSITION,
    TEXT,
    VALUE_BYTES,
    OwnedSession,
    column_size,
    held,
    scope_of,
    text_up_to,
)
from statecore.core.delta import ChangeKind
from statecore.core.ids import SLOT_MASK, slot_of_id
from statecore.core.scopes import Scope, parse_key
from statecore.models import Session, State, StateChange

KEY_PAGE: Final = 200
_SHARED: Final = (Scope.USER, Scope.APP)


def list_state(owned: OwnedSession, *, seq: int, is_now: bool, after_key: str | None = None) -> list[KeyRecord]:
    """Return the keys as of event ``seq``, up to one more than :data:`KEY_PAGE` of each scope, in order of name.

    Keys that came later are among them, as absent: a probe a key, whether it is there or not, bounds the cost.
    ``is_now`` reads app and user values live instead of as of that event's global time. ``after_key`` (with prefix)
    goes on in its scope alone.
    """
    scopes = (Scope.SESSION, *_SHARED) if after_key is None else (parse_key(after_key)[0],)
    parts = []
    for scope in scopes:
        limit = MAX_POSITION if is_now else _place(owned, scope, seq)
        rows = keys_of(owned.owner_ref(scope), limit, is_shared=scope is not Scope.SESSION)
        if after_key is not None:
            rows = rows.filter(key__gt=parse_key(after_key)[1])
        parts.append(rows.order_by("key")[: KEY_PAGE + 1])
    found = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    records = [key_record(scope_of(owned, owner_ref), name, pack) for owner_ref, name, pack in found]
    return sorted(records, key=lambda record: (record.scope, record.name))


def find_value(owned: OwnedSession, key: str, *, seq: int, is_now: bool) -> HeldValue | None:
    """Return a key's whole value as of event ``seq``, None if it was not there yet."""
    scope, name = parse_key(key)
    owner_ref = owned.owner_ref(scope)
    limit = MAX_POSITION if is_now else _place(owned, scope, seq)
    return value_at(owner_ref, name, limit)


def value_at(owner_ref: int, name: str, position: int | None) -> HeldValue | None:
    """Return the whole value that the newest change (up to ``position``) gave a key (name without prefix)."""
    position = MAX_POSITION if position is None else position
    row = (
        StateChange.objects.filter(owner_ref=owner_ref, slot=slot_of_id(owner_ref), key=name, position__lte=position)
        .annotate(_size=column_size())
        .order_by("-position")
        .values_list("value", "_size")
        .first()
    )
    return None if row is None else held(*row)


def _place(owned: OwnedSession, scope: Scope, seq: int) -> int:
    """Return the last position that counts as of event ``seq``."""
    if scope is Scope.SESSION:
        return seq * 2 + 1
    return owned.at_gid if owned.at_gid is not None else MAX_POSITION


def keys_of(owner_ref: int, limit: int, *, is_shared: bool) -> Any:
    """Return rows (owner, name, newest change up to position ``limit``) of the keys that an owner has or had."""
    session_name = (
        Session.objects.live()
        .filter(id=OuterRef("session_ref"), slot=OuterRef("session_ref").bitand(SLOT_MASK))
        .values("session_id")[:1]
    )
    newest = (
        StateChange.objects.filter(
            owner_ref=OuterRef("owner_ref"), slot=OuterRef("slot"), key=OuterRef("key"), position__lte=limit
        )
        .order_by("-position")
        .annotate(_size=column_size())
        .annotate(
            pack=JSONObject(
                text=text_up_to(VALUE_BYTES),
                size="_size",
                position="position",
                seq="seq",
                kind="kind",
                session="session_ref",
                name=Subquery(session_name, output_field=TEXT) if is_shared else Value(""),
            )
        )
        .values("pack")[:1]
    )
    return (
        State.objects.filter(owner_ref=owner_ref, slot=slot_of_id(owner_ref))
        .annotate(pack=Subquery(newest, output_field=JSON))
        .values_list("owner_ref", "key", "pack")
    )


def key_record(scope: Scope, name: str, pack: dict[str, Any] | None) -> KeyRecord:
    """Build a key from a row of :func:`keys_of`; without a change by then it was absent."""
    if pack is None:
        return KeyRecord(scope, name, ABSENT, 0, 0, ChangeKind.EVENT)
    return KeyRecord(
        scope=scope,
        name=name,
        held=held(pack["text"], pack["size"]),
        position=pack["position"],
        seq=pack["seq"],
        kind=ChangeKind(pack["kind"]),
        session_ref=pack["session"],
        session_name=pack["name"] or "",
    )
