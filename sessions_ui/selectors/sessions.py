"""The sessions list: headers only, through the indexes of recency, for whom may see which apps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Case, F, OuterRef, Q, Subquery, TextField, Value, When
from django.db.models.functions import Cast

from sessions_ui.paging import COUNT_LIMIT, Cursor, Place
from sessions_ui.presenters.session_header import METADATA_KEY
from sessions_ui.presenters.session_rows import SessionRecord
from sessions_ui.selectors.timeline import VALUE_BYTES, column_size
from statecore.core.errors import InvalidIdError
from statecore.core.ids import check_id, slot_of
from statecore.models import Owner, Session, State

if TYPE_CHECKING:
    from sessions_ui.access import Reach
    from statecore.querysets import SessionQuerySet

PAGE_SIZE: Final = 50
_ORDER: Final = (F("active_at").desc(), F("receive_time").desc(), F("id").desc())
_REVERSED: Final = (F("active_at").asc(), F("receive_time").asc(), F("id").asc())
_COLUMNS: Final = (
    "id", "session_id", "display_name", "app_owner_id", "user_owner_id", "revision", "error_count", "edit_count",
    "active_at", "receive_time", "expire_time", "hold_until",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filters:
    """What the list is narrowed to; empty text narrows nothing. Values are taken as they were typed."""

    app: str = ""
    user: str = ""
    id: str = ""

    def given(self) -> dict[str, str]:
        """Return the filters in use, by the name they have in the address."""
        named = {"app": self.app, "user": self.user, "id": self.id}
        return {name: value for name, value in named.items() if value}

    def without(self, name: str) -> Filters:
        """Return the filters with one of them left out."""
        return replace(self, **{name: ""})


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of the list. ``count`` is exact up to COUNT_LIMIT; ``older`` and ``newer`` are None at the ends."""

    records: tuple[SessionRecord, ...]
    count: int
    older: Place | None = None
    newer: Place | None = None


def list_sessions(reach: Reach, filters: Filters, cursor: Cursor, *, size: int = PAGE_SIZE) -> SessionPage:
    """Return a page of live sessions, newest activity first, in the apps within ``reach``."""
    return _page(_parts(reach, filters), cursor, size)


def list_owner_sessions(owner: Owner, cursor: Cursor, *, size: int = PAGE_SIZE) -> SessionPage:
    """Return a page of an app's or a user's live sessions, newest activity first."""
    column = "app_owner_id" if owner.user_id is None else "user_owner_id"
    return _page([Session.objects.live().filter(**{column: owner.id})], cursor, size)


def has_sessions(reach: Reach, filters: Filters) -> bool:
    """Whether the list would have a row."""
    return any(part.exists() for part in _parts(reach, filters))


def _page(parts: list[SessionQuerySet], cursor: Cursor, size: int) -> SessionPage:
    if not parts:
        return SessionPage((), 0)
    found = _records(parts, cursor, size + 1)
    has_more = len(found) > size
    found = found[:size]
    if cursor.is_newer:
        found.reverse()
    if not found:
        return SessionPage((), _count(parts))
    has_older = has_more or cursor.is_newer
    has_newer = has_more if cursor.is_newer else cursor.place is not None
    return SessionPage(
        tuple(found),
        _count(parts),
        older=_place(found[-1]) if has_older else None,
        newer=_place(found[0]) if has_newer else None,
    )


def _parts(reach: Reach, filters: Filters) -> list[SessionQuerySet]:
    """Return disjoint querysets that each walk one index; none where nothing can match."""
    if not all(_may_exist(value) for value in filters.given().values()):
        return []
    names = {filters.app} if filters.app else reach.app_names
    if not reach.is_everywhere:
        names &= reach.app_names
        if not names:
            return []
    sessions = Session.objects.live()
    if filters.id:
        sessions = sessions.filter(session_id__startswith=filters.id)
    if not (filters.app or filters.user) and reach.is_everywhere:
        return [sessions]
    column = "user_owner_id" if filters.user else "app_owner_id"
    owners = list(_owners(names if filters.app or not reach.is_everywhere else None, filters.user or None))
    # An id's beginning is the narrowest there is: its own index, and the rest on what it finds.
    if filters.id:
        return [sessions.filter(**{f"{column}__in": owners})] if owners else []
    return [sessions.filter(**{column: owner}) for owner in owners]


def _owners(app_names: frozenset[str] | set[str] | None, user_id: str | None) -> list[int]:
    """Return the numeric ids of these apps (None: all), or of the user of that name in each of them."""
    owners = Owner.objects.filter(user_id=user_id)
    if app_names is not None:
        slots = {slot_of(name, user_id) for name in app_names}
        owners = owners.filter(app_name__in=app_names, slot__in=slots)
    return list(owners.values_list("id", flat=True))


def _may_exist(name: str) -> bool:
    """Whether an id can be so: the database is not asked for what it cannot hold."""
    try:
        check_id(name, field="filter")
    except InvalidIdError:
        return False
    return True


def _records(parts: list[SessionQuerySet], cursor: Cursor, limit: int) -> list[SessionRecord]:
    order = _REVERSED if cursor.is_newer else _ORDER
    beginnings = [part.filter(_beyond(cursor)).order_by(*order)[:limit] for part in parts]
    if len(beginnings) == 1:
        return [_record(row) for row in _with_names(beginnings[0]).values_list(*_NAMED)]
    # Each part is cut by its own index before all are sorted together; names are fetched for what is left.
    keys = [part.values_list("active_at", "receive_time", "id", "slot") for part in beginnings]
    merged = keys[0].union(*keys[1:], all=True)
    sign = "" if cursor.is_newer else "-"
    chosen = list(merged.order_by(f"{sign}active_at", f"{sign}receive_time", f"{sign}id")[:limit])
    ids, slots = [row[2] for row in chosen], {row[3] for row in chosen}
    rows = _with_names(Session.objects.filter(id__in=ids, slot__in=slots)).values_list(*_NAMED)
    found = {row[0]: _record(row) for row in rows}
    return [found[number] for number in ids if number in found]


def _with_names(sessions: SessionQuerySet) -> Any:
    """Add the names of app and user, and the name that ADK's web page keeps in state, where it is small."""
    metadata = (
        State.objects.filter(owner_ref=OuterRef("id"), slot=OuterRef("slot"), key=METADATA_KEY)
        .annotate(_size=column_size())
        .annotate(text=Case(When(Q(_size__lte=VALUE_BYTES), then=Cast("value", TextField())), default=Value(None)))
        .values("text")[:1]
    )
    return sessions.annotate(
        app_name=F("user_owner__app_name"),
        user_id=F("user_owner__user_id"),
        metadata=Subquery(metadata, output_field=TextField()),
    )


_NAMED: Final = (*_COLUMNS, "app_name", "user_id", "metadata")


def _record(row: tuple[Any, ...]) -> SessionRecord:
    return SessionRecord(*row)


def _beyond(cursor: Cursor) -> Q:
    place = cursor.place
    if place is None:
        return Q()
    way = "gt" if cursor.is_newer else "lt"
    # The first condition follows from the others; it is what the index can walk from.
    return Q(**{f"active_at__{way}e": place.active_at}) & (
        Q(**{f"active_at__{way}": place.active_at})
        | Q(**{f"receive_time__{way}": place.receive_time})
        | Q(receive_time=place.receive_time, **{f"id__{way}": place.id})
    )


def _place(record: SessionRecord) -> Place:
    return Place(record.active_at, record.receive_time, record.id)


def _count(parts: list[SessionQuerySet]) -> int:
    limit = COUNT_LIMIT + 1
    cut = [part.order_by().values("id")[:limit] for part in parts]
    counted: Any = cut[0] if len(cut) == 1 else cut[0].union(*cut[1:], all=True)[:limit]
    return int(counted.count())
