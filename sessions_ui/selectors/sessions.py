"""The sessions list: headers only, through the indexes of recency, for whom may see which apps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Q

from sessions_ui.paging import COUNT_LIMIT, Cursor, Place
from statecore.core.errors import InvalidIdError
from statecore.core.ids import check_id, slot_of
from statecore.core.jsontext import load_json
from statecore.models import Owner, Session, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessions_ui.access import Grants
    from statecore.querysets import SessionQuerySet

PAGE_SIZE: Final = 50
METADATA_KEY: Final = "__session_metadata__"
_METADATA_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list is narrowed to; empty text narrows nothing."""

    app: str = ""
    user: str = ""
    id_prefix: str = ""

    def given(self) -> dict[str, str]:
        """Return the filters in use, by the name they have in the address."""
        named = {"app": self.app, "user": self.user, "id": self.id_prefix}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list, with the names that go with it."""

    session: Session
    app_name: str
    user_id: str
    display_name: str


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the list. ``count`` is exact up to COUNT_LIMIT; ``older`` and ``newer`` are None at the ends."""

    rows: Sequence[SessionRow]
    count: int
    older: Place | None
    newer: Place | None


def list_sessions(grants: Grants, filters: Filters, cursor: Cursor, *, size: int = PAGE_SIZE) -> SessionPage:
    """Return a page of live sessions, newest activity first, in the apps that ``grants`` may read."""
    parts = _parts(grants, filters)
    if not parts:
        return SessionPage((), 0, None, None)
    found = _slice(parts, cursor, size + 1)
    has_more = len(found) > size
    found = found[:size]
    if cursor.is_backward:
        found.reverse()
    older = _place(found[-1]) if found and (has_more or cursor.is_backward) else None
    newer = _place(found[0]) if found and (cursor.place if not cursor.is_backward else has_more) else None
    return SessionPage(_named(found), _count(parts), older, newer)


def _parts(grants: Grants, filters: Filters) -> list[SessionQuerySet]:
    """Return disjoint querysets that each walk one index; none where nothing can match."""
    sessions = Session.objects.live()
    if not all(_may_exist(value) for value in filters.given().values()):
        return []
    if filters.id_prefix:
        sessions = sessions.filter(session_id__startswith=filters.id_prefix)
    readable = grants.everywhere is not None and "read" in grants.everywhere
    names = [filters.app] if filters.app else ([] if readable else grants.readable_apps())
    if not readable:
        names = [name for name in names if "read" in (grants.rights_in(name) or ())]
        if not names:
            return []
    if filters.user:
        owners = Owner.objects.filter(user_id=filters.user)
        if names:
            owners = owners.filter(app_name__in=names, slot__in=[slot_of(name, filters.user) for name in names])
        return [sessions.filter(user_owner_id=owner) for owner in owners.values_list("id", flat=True)]
    if not names:
        return [sessions]
    apps = Owner.objects.apps().filter(app_name__in=names, slot__in=[slot_of(name) for name in names])
    return [sessions.filter(app_owner_id=owner) for owner in apps.values_list("id", flat=True)]


def _may_exist(name: str) -> bool:
    """Whether an id may be so: the database is not asked for what it cannot hold."""
    try:
        check_id(name, field="filter")
    except InvalidIdError:
        return False
    return True


def _slice(parts: list[SessionQuerySet], cursor: Cursor, limit: int) -> list[Session]:
    """Merge the beginnings of all parts: each is cut by its own index before they are sorted together."""
    signs = ("", "", "") if cursor.is_backward else ("-", "-", "-")
    order = [f"{sign}{name}" for sign, name in zip(signs, ("active_at", "receive_time", "id"), strict=True)]
    cut = [part.filter(_beyond(cursor)).order_by(*order)[:limit] for part in parts]
    if len(cut) == 1:
        return list(cut[0])
    return list(cut[0].union(*cut[1:], all=True).order_by(*order)[:limit])


def _beyond(cursor: Cursor) -> Q:
    place = cursor.place
    if place is None:
        return Q()
    way = "gt" if cursor.is_backward else "lt"
    # The first condition is implied by the second; it is what the index can walk from.
    return Q(**{f"active_at__{way}e": place.active_at}) & (
        Q(**{f"active_at__{way}": place.active_at})
        | Q(**{f"receive_time__{way}": place.receive_time})
        | Q(receive_time=place.receive_time, **{f"id__{way}": place.id})
    )


def _place(session: Session) -> Place:
    return Place(session.active_at, session.receive_time, session.id)


def _count(parts: list[SessionQuerySet]) -> int:
    limit = COUNT_LIMIT + 1
    cut = [part.order_by().values("id")[:limit] for part in parts]
    counted: Any = cut[0] if len(cut) == 1 else cut[0].union(*cut[1:], all=True)[:limit]
    return int(counted.count())


def _named(sessions: Sequence[Session]) -> list[SessionRow]:
    """Add names: two look-ups by key for the whole page."""
    ids = {session.user_owner_id for session in sessions}
    slots = {session.slot for session in sessions}
    owners = {owner.id: owner for owner in Owner.objects.filter(id__in=ids, slot__in=slots)} if ids else {}
    nameless = [session.id for session in sessions if not session.display_name]
    in_state = _names_in_state(nameless, slots) if nameless else {}
    return [
        SessionRow(
            session,
            owners[session.user_owner_id].app_name,
            owners[session.user_owner_id].user_id or "",
            session.display_name or in_state.get(session.id, ""),
        )
        for session in sessions
    ]


def _names_in_state(ids: list[int], slots: set[int]) -> dict[int, str]:
    """Return the names that ADK's web page keeps in session state."""
    names = {}
    rows = State.objects.filter(owner_ref__in=ids, key=METADATA_KEY, slot__in=slots, value__isnull=False)
    for owner_ref, text in rows.values_list("owner_ref", "value"):
        metadata = load_json(text) if text is not None and len(text) <= _METADATA_BYTES else None
        name = metadata.get("displayName") if isinstance(metadata, dict) else None
        if isinstance(name, str):
            names[owner_ref] = name
    return names
