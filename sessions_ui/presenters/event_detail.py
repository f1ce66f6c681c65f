"""Everything of one event, for its own page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sessions_ui.presenters.call_pairs import CallPairs, PairNote
from sessions_ui.presenters.deltas import DeltaRow, delta_of, present_changes, present_delta
from sessions_ui.presenters.event_fields import content_parts, present_fields
from sessions_ui.presenters.event_rows import Chip, flag_chips, shown_author
from sessions_ui.presenters.instants import Instant, present_time
from sessions_ui.presenters.json_text import indent_json
from sessions_ui.presenters.pictures import decode_base64, picture_type
from sessions_ui.presenters.sentences import describe_event
from sessions_ui.presenters.timeline import Reading, changes_by_seq
from sessions_ui.presenters.visible_text import ShownId, byte_size, shown_id, visible_json, visible_text
from statecore.core.delta import ChangeKind
from statecore.core.jsontext import dump_json, load_json
from statecore.core.masking import mask_event

if TYPE_CHECKING:
    from sessions_ui.presenters.blocks import Block
    from sessions_ui.presenters.records import ChangeRecord, EventRecord

MAX_DELTA_ROWS: Final = 500
MAX_RAW: Final = 64 * 1024
_PLACE: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6}){0,2}")


@dataclass(frozen=True, slots=True)
class EventDetail:
    """``raw`` is the masked JSON, None where it is too long to print along."""

    seq: int
    event_id: ShownId
    author: str
    invocation_id: ShownId | None
    time: Instant
    received: Instant
    sentence: str
    chips: tuple[Chip, ...]
    blocks: tuple[Block, ...]
    pairs: tuple[PairNote, ...]
    delta: tuple[DeltaRow, ...]
    more_delta: int
    correction: tuple[DeltaRow, ...]
    raw: str | None
    raw_size: str
    older: int | None
    newer: int | None


def present_detail(
    records: Sequence[EventRecord], changes: Sequence[ChangeRecord], *, seq: int, revision: int, reading: Reading
) -> EventDetail:
    """Return the detail of event ``seq``; ``records`` are it and its neighbours."""
    record = next(each for each in records if each.seq == seq)
    previous = next((each for each in records if each.seq == seq - 1), None)
    stored = load_json(record.payload_json or "null")
    masked = mask_event(stored, reading.rules)
    by_kind = [
        changes_by_seq(changes, kind=kind).get(seq, {}) for kind in (ChangeKind.EVENT, ChangeKind.IMPORT_CORRECTION)
    ]
    delta = delta_of(stored)
    rows = present_delta(record, delta, by_kind[0], limit=MAX_DELTA_ROWS, rules=reading.rules)
    raw = dump_json(masked)
    return EventDetail(
        seq=seq,
        event_id=shown_id(record.event_id),
        author=shown_author(record),
        invocation_id=shown_id(record.invocation_id) if record.invocation_id else None,
        time=present_time(record.timestamp, now=reading.now, zone=reading.zone),
        received=present_time(record.receive_time, now=reading.now, zone=reading.zone),
        sentence=describe_event(masked, rows, delta_count=len(delta)).text,
        chips=flag_chips(record, previous_timestamp=previous.timestamp if previous else None),
        blocks=tuple(present_fields(masked)),
        pairs=_pair_notes(records, masked, seq=seq, revision=revision),
        delta=rows,
        more_delta=len(delta) - len(rows),
        correction=tuple(present_changes(list(by_kind[1].values()), rules=reading.rules)),
        raw=visible_json(indent_json(raw)) if len(raw) <= MAX_RAW else None,
        raw_size=byte_size(len(raw.encode("utf-8", "replace"))),
        older=seq - 1 if seq > 1 else None,
        newer=seq + 1 if seq < revision else None,
    )


def _pair_notes(
    records: Sequence[EventRecord], payload: Mapping[str, Any], *, seq: int, revision: int
) -> tuple[PairNote, ...]:
    pairs = CallPairs(first=records[0].seq, last=records[-1].seq, revision=revision)
    for record in records:
        if record.payload_json is not None:
            pairs.add(record.seq, content_parts(load_json(record.payload_json)))
    return tuple(
        pairs.note(seq, kind, part[kind])
        for part in content_parts(payload)
        if isinstance(part, Mapping)
        for kind in ("functionCall", "functionResponse", "toolCall", "toolResponse")
        if isinstance(part.get(kind), Mapping)
    )


@dataclass(frozen=True, slots=True)
class PartBytes:
    """What a part carries. ``data`` is None if it is not base64; ``picture_type`` is None if it is no picture."""

    data: bytes | None
    picture_type: str | None
    said_type: str
    name: str
    size: str


def find_media(payload: Any, part: str) -> PartBytes | None:
    """Return the inline bytes of the part at ``2``, or ``2.0`` inside a response; None where there are none."""
    parts: Any = content_parts(payload) if isinstance(payload, Mapping) else []
    found: Any = None
    if _PLACE.fullmatch(part) is None:
        return None
    for step in part.split("."):
        index = int(step)
        found = parts[index] if isinstance(parts, list) and index < len(parts) else None
        response = found.get("functionResponse") if isinstance(found, Mapping) else None
        parts = response.get("parts") if isinstance(response, Mapping) else None
    inline = found.get("inlineData") if isinstance(found, Mapping) else None
    text = inline.get("data") if isinstance(inline, Mapping) else None
    if not isinstance(inline, Mapping) or not isinstance(text, str):
        return None
    try:
        data: bytes | None = decode_base64(text)
    except ValueError:
        data = None
    return PartBytes(
        data=data,
        picture_type=None if data is None else picture_type(data),
        said_type=visible_text(str(inline.get("mimeType") or "type not given")),
        name=visible_text(str(inline.get("displayName") or "")),
        size=byte_size(len(data or b"")),
    )
