"""A page of a session's timeline: events grouped by invocation, with baseline, corrections and pauses between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, Literal

from sessions_ui.presenters.call_pairs import CallPairs
from sessions_ui.presenters.deltas import DeltaRow, delta_of, present_changes, present_delta
from sessions_ui.presenters.event_fields import content_parts
from sessions_ui.presenters.event_rows import (
    MAX_LINES,
    EventRow,
    Line,
    cap,
    flag_chips,
    present_lines,
    raw_line,
    shown_author,
)
from sessions_ui.presenters.instants import Instant, describe_duration, present_time
from sessions_ui.presenters.records import CHANGE_LIMIT, ChangeRecord, EventRecord
from sessions_ui.presenters.sentences import NO_WORDS, NOTHING, Sentence, describe_event
from sessions_ui.presenters.visible_text import byte_size, visible_text
from statecore.core.delta import ChangeKind
from statecore.core.events import EventKind
from statecore.core.jsontext import load_json
from statecore.core.masking import DEFAULT_RULES, MaskRules, mask_event
from statecore.core.scopes import Scope

MAX_DELTA_ROWS: Final = 12
PAUSE_SECONDS: Final = 60

Changes = Mapping[int, Mapping[tuple[Scope, str], ChangeRecord]]


@dataclass(frozen=True, slots=True)
class StateRow:
    """A timeline entry that is no event: the state given at creation, or what an import had to correct."""

    shape: Literal["baseline", "correction"]
    seq: int
    delta: tuple[DeltaRow, ...]
    more_delta: str
    is_selected: bool = False


@dataclass(frozen=True, slots=True)
class PauseRow:
    """Nothing happened for a while."""

    text: str
    shape: Literal["pause"] = "pause"


Entry = EventRow | StateRow | PauseRow


@dataclass(slots=True)
class Group:
    """Neighbouring events of one invocation. ``invocation_id`` is "" for a baseline and for events without one."""

    invocation_id: str
    start: Instant | None = None
    start_seconds: float = 0.0
    duration: str = ""
    entries: list[Entry] = field(default_factory=list)

    @property
    def event_count(self) -> int:
        """How many of the entries are events."""
        return sum(entry.shape == "event" for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Reading:
    """For whom and when a page is made. ``marks_imports``: imported events say so, for no header says it of all."""

    now: datetime
    zone: tzinfo = UTC
    rules: MaskRules = DEFAULT_RULES
    marks_imports: bool = True


def present_timeline(
    records: Sequence[EventRecord],
    changes: Sequence[ChangeRecord],
    *,
    first: int,
    last: int,
    revision: int,
    selected: int | None,
    reading: Reading,
) -> list[Group]:
    """Return the groups of events ``first`` to ``last``; ``records`` may reach beyond, for calls and clocks."""
    payloads = {record.seq: _parse(record, reading.rules) for record in records}
    pairs = CallPairs(first=records[0].seq, last=records[-1].seq, revision=revision) if records else None
    for record in records:
        if pairs is not None and (payload := payloads[record.seq]) is not None:
            pairs.add(record.seq, content_parts(payload[1]))
    by_seq = changes_by_seq(changes, kind=ChangeKind.EVENT)
    corrections = changes_by_seq(changes, kind=ChangeKind.IMPORT_CORRECTION)
    groups: list[Group] = []
    if first <= 1:
        baseline = [change for change in changes if change.kind is ChangeKind.BASELINE]
        groups.append(Group("", entries=[_state_row("baseline", 0, baseline, selected, reading)]))
        _add_correction(groups, 0, corrections, reading)
    previous: EventRecord | None = None
    for record in records:
        if pairs is not None and first <= record.seq <= last:
            row = present_event(
                record, payloads[record.seq], by_seq.get(record.seq, {}), pairs, previous, selected, reading
            )
            _add_event(groups, record, row, previous if record.seq > first else None, reading)
            _add_correction(groups, record.seq, corrections, reading)
        previous = record
    return groups


def changes_by_seq(changes: Sequence[ChangeRecord], *, kind: ChangeKind) -> Changes:
    """Return the changes of one kind by the event they belong to, then by scope and name."""
    found: dict[int, dict[tuple[Scope, str], ChangeRecord]] = defaultdict(dict)
    for change in changes:
        if change.kind is kind:
            found[change.seq][change.scope, change.name] = change
    return found


def present_event(
    record: EventRecord,
    payload: tuple[Mapping[str, Any], Mapping[str, Any]] | None,
    changes: Mapping[tuple[Scope, str], ChangeRecord],
    pairs: CallPairs,
    previous: EventRecord | None,
    selected: int | None,
    reading: Reading,
) -> EventRow:
    """Return one event's row. ``payload`` is the stored and the masked one, None where it was too big to read."""
    time = present_time(record.timestamp, now=reading.now, zone=reading.zone)
    chips = flag_chips(
        record, previous_timestamp=previous.timestamp if previous else None, marks_imports=reading.marks_imports
    )
    row = EventRow(
        record.seq,
        shown_author(record),
        time,
        "",
        chips=chips,
        size=byte_size(record.payload_size),
        is_selected=record.seq == selected,
    )
    if payload is None:
        kind = "event" if record.kind is EventKind.OTHER else record.kind.name.lower()
        return replace(row, sentence=f"A big {kind} of {row.size}, not loaded", is_loaded=False)
    stored, masked = payload
    delta = delta_of(stored)
    rows = present_delta(record, delta, changes, limit=MAX_DELTA_ROWS, rules=reading.rules)
    lines = present_lines(record.seq, masked, pairs)
    said = describe_event(masked, rows, delta_count=len(delta))
    text = NO_WORDS if lines and said.text == NOTHING else said.text
    if said.rest and not lines:
        lines = [raw_line(said.rest)]
    shown, more_lines = cap([line for line in lines if not _is_said(line, said)], MAX_LINES)
    return replace(
        row, sentence=text, lines=shown, more_lines=more_lines, delta=rows, more_delta=len(delta) - len(rows)
    )


def _is_said(line: Line, sentence: Sentence) -> bool:
    """Whether the sentence holds all of a line already: a part as one of its clauses, an event's field by its words."""
    text = " ".join(line.text.split())
    if line.label in ("error message", "output"):
        return text.removesuffix(".") in sentence.text
    said = (text, f"Thinks: {text}", f"said: {text}", f"Said: {text}")
    return line.shape in ("text", "thought") and any(each in sentence.clauses for each in said)


def _parse(record: EventRecord, rules: MaskRules) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    if record.payload_json is None:
        return None
    stored = load_json(record.payload_json)
    return stored, mask_event(stored, rules)


def _add_event(
    groups: list[Group], record: EventRecord, row: EventRow, previous: EventRecord | None, reading: Reading
) -> None:
    invocation = visible_text(record.invocation_id)
    if previous is not None and record.timestamp - previous.timestamp >= PAUSE_SECONDS:
        pause = PauseRow(f"{describe_duration(record.timestamp - previous.timestamp)} pause")
        groups.append(Group("", entries=[pause]))
    is_new = not groups or groups[-1].start is None or groups[-1].invocation_id != invocation
    if is_new:
        start = present_time(record.timestamp, now=reading.now, zone=reading.zone)
        groups.append(Group(invocation, start, record.timestamp))
    group = groups[-1]
    group.entries.append(row)
    group.duration = "" if is_new else describe_duration(record.timestamp - group.start_seconds)


def _add_correction(groups: list[Group], seq: int, corrections: Changes, reading: Reading) -> None:
    if seq in corrections:
        row = _state_row("correction", seq, list(corrections[seq].values()), None, reading)
        groups[-1].entries.append(row)


def _state_row(
    shape: Literal["baseline", "correction"],
    seq: int,
    changes: Sequence[ChangeRecord],
    selected: int | None,
    reading: Reading,
) -> StateRow:
    rows, more = cap(present_changes(changes, rules=reading.rules), MAX_DELTA_ROWS)
    # Selectors stop at so many changes of a kind: then nobody has counted the rest.
    text = f"{'at least ' if len(changes) >= CHANGE_LIMIT else ''}{more:,}" if more else ""
    return StateRow(shape, seq, rows, text, is_selected=shape == "baseline" and selected == 0)
