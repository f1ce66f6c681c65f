"""Every write to one key, newest first, paged by position."""

from __future__ import annotations

from typing import Final

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from sessions_ui.presenters.records import HistoryRecord
from sessions_ui.selectors.timeline import VALUE_BYTES, column_size, held, text_up_to
from statecore.core.delta import ChangeKind
from statecore.core.ids import SLOT_MASK, slot_of_id
from statecore.models import Event, Owner, Session, StateChange

PAGE_SIZE: Final = 50
COUNT_LIMIT: Final = 10_000


def list_history(
    owner_ref: int, name: str, *, before: int | None = None, after: int | None = None
) -> list[HistoryRecord]:
    """Return up to one more than a page, newest first: older than ``before``, or the next newer than ``after``."""
    rows = _changes(owner_ref, name)
    if after is not None:
        rows = rows.filter(position__gt=after).order_by("position")
    else:
        rows = rows.order_by("-position") if before is None else rows.filter(position__lt=before).order_by("-position")
    sessions = Session.objects.filter(id=OuterRef("session_ref"), slot=OuterRef("session_slot")).filter(
        Q(expire_time__gt=Now()) | Q(hold_until__gt=Now())
    )
    events = Event.objects.filter(
        session_ref=OuterRef("session_ref"), slot=OuterRef("session_slot"), seq=OuterRef("seq")
    )
    rows = rows.annotate(session_slot=F("session_ref").bitand(SLOT_MASK), _size=column_size()).annotate(
        text=text_up_to(VALUE_BYTES),
        session_name=Subquery(sessions.values("session_id")[:1]),
        create_time=Subquery(sessions.values("create_time")[:1]),
        author=Subquery(events.values("author")[:1]),
        event_time=Subquery(events.values("timestamp")[:1]),
        receive_time=Subquery(events.values("receive_time")[:1]),
    )
    found = [
        HistoryRecord(
            position=row["position"],
            seq=row["seq"],
            kind=ChangeKind(row["kind"]),
            held=held(row["text"], row["_size"]),
            session_ref=row["session_ref"],
            session_name=row["session_name"],
            author=row["author"] if row["kind"] == ChangeKind.EVENT else None,
            event_time=row["event_time"] if row["kind"] == ChangeKind.EVENT else None,
            receive_time=row["receive_time"] or row["create_time"],
        )
        for row in rows[: PAGE_SIZE + 1].values(
            "position", "seq", "kind", "text", "_size", "session_ref", "session_name", "author", "event_time",
            "receive_time", "create_time",
        )
    ]  # fmt: skip
    return found[::-1] if after is not None else found


def count_history(owner_ref: int, name: str) -> int:
    """Return how many changes a key has, exact up to 10,000; one more means more than that."""
    return _changes(owner_ref, name)[: COUNT_LIMIT + 1].count()


def find_owner(owner_ref: int) -> Owner | None:
    """Return the app or user with this numeric id."""
    return Owner.objects.at(owner_ref).first()


def _changes(owner_ref: int, name: str) -> QuerySet[StateChange]:
    return StateChange.objects.filter(owner_ref=owner_ref, slot=slot_of_id(owner_ref), key=name)
