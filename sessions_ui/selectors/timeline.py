"""Events of one session by range, their changes, and where its errors and edits are. Cost does not grow with length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Case,
    Count,
    F,
    Func,
    IntegerField,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, JSONObject

from sessions_ui.presenters.records import ABSENT, CHANGE_LIMIT, ChangeRecord, EventRecord, FlaggedBucket, HeldValue
from statecore.core.delta import ChangeKind
from statecore.core.events import EventFlag, EventKind
from statecore.core.ids import slot_of_id
from statecore.core.scopes import Scope, parse_key
from statecore.core.sessions import Origin
from statecore.models import Event, Session, State, StateChange

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

PAGE_SIZE: Final = 50
PAYLOAD_BYTES: Final = 64 * 1024
VALUE_BYTES: Final = 4096
MAX_POSITION: Final = 2**63 - 1
# Made once: expressions only read them, and making a field costs more than the rest of its expression.
TEXT: Final[TextField[str, str]] = TextField()
JSON: Final = JSONField()
_INTEGER: Final[IntegerField[int, int]] = IntegerField()


@dataclass(frozen=True, slots=True)
class OwnedSession:
    """A session's header with the names of its owner, and the global place of one of its events.

    ``is_all_imported``: an import brought every event; what an agent appended would come after those.
    """

    session: Session
    app_name: str
    user_id: str
    at_gid: int | None
    is_all_imported: bool = False

    def owner_ref(self, scope: Scope) -> int:
        """Return the numeric id that the keys of a scope belong to."""
        refs = {Scope.APP: self.session.app_owner_id, Scope.USER: self.session.user_owner_id}
        return refs.get(scope, self.session.id)


def find_session(session_ref: int, *, at: int | None = None) -> OwnedSession | None:
    """Return a live session and the gid of its event ``at`` (None if there is no such event)."""
    place = Subquery(Event.objects.of(session_ref).filter(seq=-1 if at is None else at).values("gid")[:1])
    newest = Subquery(Event.objects.of(session_ref).order_by("-seq").values("flags")[:1])
    sessions = Session.objects.at(session_ref).live().select_related("user_owner")
    found = sessions.annotate(at_gid=place, newest_flags=newest).first()
    if found is None:
        return None
    gid = found.create_gid if at == 0 else vars(found)["at_gid"]
    is_all_imported = found.origin == Origin.IMPORTED and bool(
        (vars(found)["newest_flags"] or 0) & EventFlag.IS_IMPORTED
    )
    return OwnedSession(found, found.user_owner.app_name, found.user_owner.user_id or "", gid, is_all_imported)


def column_size(name: str = "value") -> Func:
    """Return the stored size of a column, which PostgreSQL knows without reading a big value."""
    return Func(F(name), function="pg_column_size", output_field=_INTEGER)


def text_up_to(size: int, name: str = "value") -> Case:
    """Return a JSON column's text where it is at most ``size`` bytes, null where it is bigger."""
    return Case(When(Q(_size__lte=size), then=Cast(name, TEXT)), default=Value(None), output_field=TEXT)


def list_events(session_ref: int, first: int, last: int) -> list[EventRecord]:
    """Return events ``first`` to ``last`` with payloads up to 64 KB, and up to 50 events on either side.

    The neighbours are there for calls and responses: others among them come without payload.
    """
    rows = _window(session_ref, first, last).values_list(*_EVENT_COLUMNS, "body", "_size")
    return [_event_record(row) for row in rows]


def list_page(
    session_ref: int, first: int, last: int, *, bucket_size: int
) -> tuple[list[EventRecord], list[FlaggedBucket]]:
    """Return what :func:`list_events` does and, in the same query, where errors and edits are in the whole session.

    The latter by stretches of ``bucket_size`` events.
    """
    # PostgreSQL runs the inner query once, for the one row that asks for it.
    strip = Case(When(seq=last, then=_flagged(session_ref, bucket_size)), default=Value(None))
    rows = list(
        _window(session_ref, first, last).annotate(strip=strip).values_list(*_EVENT_COLUMNS, "body", "_size", "strip")
    )
    packs: list[dict[str, int]] = next((row[-1] for row in rows if row[-1] is not None), [])
    flagged = [FlaggedBucket(pack["bucket"], pack["errors"], pack["edits"]) for pack in packs]
    return [_event_record(row[:-1]) for row in rows], flagged


def _window(session_ref: int, first: int, last: int) -> QuerySet[Event]:
    paired = Q(kind__in=(EventKind.CALL, EventKind.RESPONSE, EventKind.TRANSFER))
    readable = Q(_size__lte=PAYLOAD_BYTES) & (Q(seq__range=(first, last)) | paired)
    body = Case(When(readable, then=Cast("payload", TEXT)), default=Value(None), output_field=TEXT)
    return (
        Event.objects.of(session_ref)
        .filter(seq__range=(max(1, first - PAGE_SIZE), last + PAGE_SIZE))
        .annotate(_size=column_size("payload"))
        .annotate(body=body)
        .order_by("seq")
    )


def _flagged(session_ref: int, bucket_size: int) -> ArraySubquery:
    marked = EventFlag.HAS_ERROR | EventFlag.IS_EDIT
    return ArraySubquery(
        Event.objects.of(session_ref)
        .annotate(marks=F("flags").bitand(int(marked)), bucket=(F("seq") - 1) / bucket_size)
        .filter(marks__gt=0)
        .values("bucket")
        .annotate(
            pack=JSONObject(
                bucket="bucket",
                errors=Count("seq", filter=Q(marks__in=(1, 3))),
                edits=Count("seq", filter=Q(marks__in=(2, 3))),
            )
        )
        .order_by("bucket")
        .values("pack")
    )


def get_event(session_ref: int, seq: int) -> EventRecord | None:
    """Return one event with its whole payload."""
    rows = Event.objects.of(session_ref).filter(seq=seq).annotate(_size=column_size("payload"))
    row = rows.values_list(*_EVENT_COLUMNS, "payload", "_size").first()
    return None if row is None else _event_record(row)


_EVENT_COLUMNS: Final = (
    "seq", "gid", "event_id", "invocation_id", "author", "timestamp", "receive_time", "kind", "flags",
)  # fmt: skip


def _event_record(row: Sequence[Any]) -> EventRecord:
    seq, gid, event_id, invocation_id, author, timestamp, receive_time, kind, flags, body, size = row
    return EventRecord(
        seq=seq,
        gid=gid,
        event_id=event_id,
        invocation_id=invocation_id,
        author=author,
        timestamp=timestamp,
        receive_time=receive_time,
        kind=EventKind(kind),
        flags=EventFlag(flags),
        payload_json=body,
        payload_size=size,
    )


def list_changes(
    owned: OwnedSession, events: Collection[EventRecord], keys: Collection[str], *, first: int, last: int
) -> list[ChangeRecord]:
    """Return what events ``first`` to ``last`` wrote to ``keys`` (with prefix), each with the value before.

    With the baseline where ``first`` is 1, and import corrections where there can be some. One query.
    """
    names: dict[Scope, list[str]] = {scope: [] for scope in Scope}
    for key in keys:
        scope, name = parse_key(key)
        names[scope].append(name)
    session_ref = owned.session.id
    parts: list[QuerySet[StateChange, Any]] = []
    if names[Scope.SESSION]:
        parts.append(_changes(session_ref).filter(key__in=names[Scope.SESSION], position__range=(first * 2, last * 2)))
    gids = [event.gid for event in events if first <= event.seq <= last]
    parts += [
        _changes(owned.owner_ref(scope)).filter(key__in=names[scope], position__in=gids)
        for scope in (Scope.USER, Scope.APP)
        if names[scope] and gids
    ]
    if first <= 1:
        places = {Scope.SESSION: 0, Scope.USER: owned.session.create_gid, Scope.APP: owned.session.create_gid}
        parts += [
            _of_any_key(owned.owner_ref(scope)).filter(position=place).order_by("key")[:CHANGE_LIMIT]
            for scope, place in places.items()
        ]
    if owned.session.origin == Origin.IMPORTED:
        after = 1 if first <= 1 else first * 2
        corrections = _of_any_key(session_ref).filter(
            kind=ChangeKind.IMPORT_CORRECTION, position__range=(after, last * 2 + 1)
        )
        parts.append(corrections.order_by("position", "key")[:CHANGE_LIMIT])
    if not parts:
        return []
    rows = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    return [_change_record(owned, row) for row in rows]


_CHANGE_COLUMNS: Final = ("owner_ref", "key", "position", "seq", "kind", "session_ref", "new_text", "_size", "old")


def _changes(owner_ref: int) -> QuerySet[StateChange, Any]:
    before = (
        StateChange.objects.filter(
            owner_ref=OuterRef("owner_ref"),
            slot=OuterRef("slot"),
            key=OuterRef("key"),
            position__lt=OuterRef("position"),
        )
        .order_by("-position")
        .annotate(_size=column_size())
        .annotate(pack=JSONObject(text=text_up_to(VALUE_BYTES), size="_size"))
        .values("pack")[:1]
    )
    return (
        StateChange.objects.filter(owner_ref=owner_ref, slot=slot_of_id(owner_ref))
        .annotate(_size=column_size())
        .annotate(new_text=text_up_to(VALUE_BYTES), old=Subquery(before, output_field=JSON))
        .values_list(*_CHANGE_COLUMNS)
    )


def _of_any_key(owner_ref: int) -> QuerySet[StateChange, Any]:
    """Return changes by way of the owner's keys: a probe a key, however long the history is."""
    keys = State.objects.filter(owner_ref=owner_ref, slot=slot_of_id(owner_ref)).values("key")
    return _changes(owner_ref).filter(key__in=keys)


def _change_record(owned: OwnedSession, row: Sequence[Any]) -> ChangeRecord:
    owner_ref, name, position, seq, kind, session_ref, text, size, old = row
    return ChangeRecord(
        scope=scope_of(owned, owner_ref),
        name=name,
        position=position,
        seq=seq,
        kind=ChangeKind(kind),
        new=held(text, size),
        old=ABSENT if old is None else held(old["text"], old["size"]),
        session_ref=session_ref,
    )


def scope_of(owned: OwnedSession, owner_ref: int) -> Scope:
    """Return the scope whose keys belong to ``owner_ref``."""
    if owner_ref == owned.session.app_owner_id:
        return Scope.APP
    return Scope.USER if owner_ref == owned.session.user_owner_id else Scope.SESSION


def held(text: str | None, size: int | None) -> HeldValue:
    """Return a change's value; without a size there is none: the change removed the key."""
    return HeldValue("removed") if size is None else HeldValue("value", text, size)
