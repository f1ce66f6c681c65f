"""Every write and removal of one key, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions_ui.presenters.instants import Instant, present_time
from sessions_ui.presenters.state_values import ShownValue, show_held
from sessions_ui.presenters.visible_text import cut_middle, visible_text
from statecore.core.actors import OPERATOR_PREFIX
from statecore.core.delta import ChangeKind
from statecore.core.masking import DEFAULT_RULES, MaskRules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from sessions_ui.presenters.records import HistoryRecord


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """A page of records, and the cursors of its neighbours (None where there is none)."""

    records: tuple[HistoryRecord, ...]
    newer: int | None
    older: int | None

    @classmethod
    def cut(cls, records: Sequence[HistoryRecord], *, size: int, before: int | None, after: int | None) -> HistoryPage:
        """Make a page of up to ``size`` records; one more was asked for, to know whether they go on."""
        if after is not None:
            has_newer, has_older, kept = len(records) > size, True, records[-size:]
        else:
            has_newer, has_older, kept = before is not None, len(records) > size, records[:size]
        if not kept:
            return cls((), None, None)
        return cls(
            tuple(kept),
            newer=kept[0].position if has_newer else None,
            older=kept[-1].position if has_older else None,
        )


def count_text(count: int, *, limit: int) -> str:
    """Return ``1,204``, or ``more than 10,000`` where counting stopped at ``limit``."""
    return f"more than {limit:,}" if count > limit else f"{count:,}"


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One entry. ``session_ref`` and ``seq`` lead to the event where the session still lives."""

    position: int
    value: ShownValue
    source: str
    seq: int
    author: str
    session_ref: int | None
    session_name: str
    time: Instant | None
    is_edit: bool


def present_history(
    records: Sequence[HistoryRecord], name: str, *, now: datetime, zone: tzinfo, rules: MaskRules = DEFAULT_RULES
) -> list[HistoryRow]:
    """Return the rows of the key ``name`` (without prefix)."""
    return [_row(record, name, now=now, zone=zone, rules=rules) for record in records]


def _row(record: HistoryRecord, name: str, *, now: datetime, zone: tzinfo, rules: MaskRules) -> HistoryRow:
    moment = record.event_time if record.event_time is not None else record.receive_time
    lives = record.session_name is not None
    return HistoryRow(
        position=record.position,
        value=show_held(name, record.held, rules=rules),
        source=_source(record),
        seq=record.seq,
        author=visible_text(record.author) if record.author else "",
        session_ref=record.session_ref if lives else None,
        session_name=cut_middle(record.session_name) if record.session_name else "deleted session",
        time=None if moment is None else present_time(moment, now=now, zone=zone),
        is_edit=record.kind is ChangeKind.OUTSIDE or (record.author or "").startswith(OPERATOR_PREFIX),
    )


def _source(record: HistoryRecord) -> str:
    if record.kind is ChangeKind.BASELINE:
        return "baseline"
    if record.kind is ChangeKind.IMPORT_CORRECTION:
        return f"import correction after #{record.seq}"
    if record.kind is ChangeKind.OUTSIDE:
        return "edit outside any session"
    return f"#{record.seq}"
