"""Events as rows of the timeline: who, when, one sentence, what was said and called, what changed, what is odd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from sessions_ui.presenters.content_parts import PART_RENDERERS
from sessions_ui.presenters.event_fields import content_parts
from sessions_ui.presenters.json_tree import compact_json
from sessions_ui.presenters.pictures import decoded_size, is_picture
from sessions_ui.presenters.visible_text import byte_size, visible_text
from statecore.core.events import EventFlag
from statecore.core.masking import MASKED

if TYPE_CHECKING:
    from sessions_ui.presenters.call_pairs import CallPairs, PairNote
    from sessions_ui.presenters.deltas import DeltaRow
    from sessions_ui.presenters.instants import Instant
    from sessions_ui.presenters.records import EventRecord

MAX_LINES: Final = 12
TEXT_LENGTH: Final = 600
DATA_LENGTH: Final = 200

Item = TypeVar("Item")
Tone = Literal["plain", "warn", "error", "edit"]


@dataclass(frozen=True, slots=True)
class Chip:
    """A short flag with its own words; the tone only colours them."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """One part of an event in short. ``picture`` is the place of a picture that can be shown on demand."""

    shape: Literal["text", "thought", "call", "answer", "code", "media", "raw"]
    text: str
    label: str = ""
    is_cut: bool = False
    pair: PairNote | None = None
    picture: str = ""


@dataclass(frozen=True, slots=True)
class EventRow:
    """A timeline entry for one event."""

    seq: int
    author: str
    time: Instant
    sentence: str
    lines: tuple[Line, ...] = ()
    more_lines: int = 0
    chips: tuple[Chip, ...] = ()
    delta: tuple[DeltaRow, ...] = ()
    more_delta: int = 0
    size: str = ""
    is_loaded: bool = True
    is_selected: bool = False
    shape: Literal["event"] = "event"

    @property
    def tone(self) -> Tone:
        """The strongest tone of the chips: error over edit over the rest."""
        tones = {chip.tone for chip in self.chips}
        return "error" if "error" in tones else "edit" if "edit" in tones else "plain"

    @property
    def css(self) -> str:
        """The classes that mark the row."""
        tone = "" if self.tone == "plain" else f" is-{self.tone}"
        return f"entry entry-event{tone}{' is-selected' * self.is_selected}"


def flag_chips(
    record: EventRecord, *, previous_timestamp: float | None, marks_imports: bool = True
) -> tuple[Chip, ...]:
    """Return what the stored flags and the clock say about an event."""
    flags = record.flags
    chips = []
    if EventFlag.HAS_ERROR in flags:
        chips.append(Chip("error", "error"))
    if EventFlag.IS_EDIT in flags:
        chips.append(Chip("edit", "edit"))
    if marks_imports and EventFlag.IS_IMPORTED in flags:
        chips.append(Chip("imported"))
    made = [
        word
        for flag, word in (
            (EventFlag.MADE_ID, "id"),
            (EventFlag.MADE_TIMESTAMP, "time"),
            (EventFlag.MADE_AUTHOR, "author"),
        )
        if flag in flags
    ]
    if made:
        chips.append(Chip(f"{' and '.join(made)} made up here", "warn"))
    if previous_timestamp is not None and record.timestamp < previous_timestamp:
        chips.append(Chip("clock goes backwards", "warn"))
    return tuple(chips)


def shown_author(record: EventRecord) -> str:
    """Return the author; people's edits keep their ``operator:`` prefix."""
    return visible_text(record.author) or "author not given"


def present_lines(seq: int, payload: Mapping[str, Any], pairs: CallPairs) -> list[Line]:
    """Return the parts of a masked event in short; where nothing is known, one line of raw JSON."""
    lines: list[Line] = []
    parts = content_parts(payload)
    for index, part in enumerate(parts):
        lines += _part_lines(seq, part, str(index), pairs)
    if payload.get("errorMessage") and isinstance(payload["errorMessage"], str):
        lines.append(_cut_text("text", payload["errorMessage"], label="error message"))
    if payload.get("output") is not None:
        text, is_cut = compact_json(payload["output"], limit=DATA_LENGTH)
        lines.append(Line("raw", text, "output", is_cut))
    return lines


def raw_line(rest: Mapping[str, Any]) -> Line:
    """Return what is left of an event that no rule can put into words, as JSON."""
    text, is_cut = compact_json(rest, limit=TEXT_LENGTH)
    return Line("raw", text, "raw JSON", is_cut)


def _part_lines(seq: int, part: Any, path: str, pairs: CallPairs) -> list[Line]:
    if not isinstance(part, Mapping):
        return [Line("raw", compact_json(part, limit=DATA_LENGTH)[0], "part")]
    lines: list[Line] = []
    if isinstance(part.get("text"), str) and part["text"]:
        lines.append(_cut_text("thought" if part.get("thought") is True else "text", part["text"]))
    for name, data in _DATA_OF.items():
        body = part.get(name)
        if isinstance(body, Mapping):
            lines.append(_call_line(seq, name, data, body, pairs))
    for name, data in (("executableCode", "code"), ("codeExecutionResult", "output")):
        body = part.get(name)
        if isinstance(body, Mapping):
            lines.append(_cut_text("code", str(body.get(data) or ""), label=_CODE_LABELS[name]))
    lines += _media_lines(part, path)
    odd = _odd_fields(part) if not lines else {}
    if odd:
        lines.append(Line("raw", compact_json(odd, limit=DATA_LENGTH)[0], "part"))
    return lines


_DATA_OF: Final = {
    "functionCall": "args",
    "functionResponse": "response",
    "toolCall": "args",
    "toolResponse": "response",
}
_CODE_LABELS: Final = {"executableCode": "code", "codeExecutionResult": "result"}


_OBJECTS: Final = _DATA_OF.keys() | _CODE_LABELS.keys() | {"inlineData", "fileData", "audioTranscription"}


def _odd_fields(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return what no rule has words for: unknown names, and known ones that hold what they never should."""
    return {
        name: value
        for name, value in part.items()
        if name not in PART_RENDERERS
        or (name in _OBJECTS and not isinstance(value, Mapping | None))
        or (name == "text" and not isinstance(value, str | None))
    }


def _call_line(seq: int, name: str, data: str, body: Mapping[str, Any], pairs: CallPairs) -> Line:
    label = visible_text(str(body.get("name") or body.get("toolType") or "without a name"))
    text, is_cut = short_arguments(body.get(data))
    return Line("call" if data == "args" else "answer", text, label, is_cut, pairs.note(seq, name, body))


def short_arguments(value: Any) -> tuple[str, bool]:
    """Return ``order=A-17 qty=2`` for an object, JSON for the rest, and whether it was cut."""
    if value is None or value == {}:
        return "", False
    if not isinstance(value, Mapping):
        return compact_json(value, limit=DATA_LENGTH)
    said: list[str] = []
    length = 0
    for key, inner in value.items():
        shown, was_cut = (inner, False) if inner == MASKED else compact_json(inner, limit=DATA_LENGTH)
        said.append(f"{visible_text(key)}={shown}")
        length += len(said[-1]) + 1
        if was_cut or length > DATA_LENGTH:
            return " ".join(said)[: DATA_LENGTH * 2], True
    return " ".join(said), False


def _media_lines(part: Mapping[str, Any], path: str) -> list[Line]:
    lines: list[Line] = []
    if isinstance(part.get("inlineData"), Mapping):
        lines.append(_media_line(part["inlineData"], path))
    file = part.get("fileData")
    if isinstance(file, Mapping):
        uri, mime = str(file.get("fileUri") or ""), str(file.get("mimeType") or "file")
        lines.append(Line("media", visible_text(uri), visible_text(mime)))
    spoken = part.get("audioTranscription")
    if isinstance(spoken, Mapping) and isinstance(spoken.get("text"), str) and spoken["text"]:
        lines.append(_cut_text("text", spoken["text"], label="said"))
    return lines


def _media_line(body: Mapping[str, Any], path: str) -> Line:
    data = body.get("data")
    mime = visible_text(str(body.get("mimeType") or "type not given"))
    if not isinstance(data, str):
        return Line("raw", compact_json(body, limit=DATA_LENGTH)[0], mime)
    name = visible_text(str(body.get("displayName") or ""))
    picture = path if is_picture(data) else ""
    return Line("media", " ".join(filter(None, (name, byte_size(decoded_size(data))))), mime, picture=picture)


def _cut_text(shape: Literal["text", "thought", "code"], text: str, *, label: str = "") -> Line:
    is_cut = len(text) > TEXT_LENGTH
    return Line(shape, visible_text(text[:TEXT_LENGTH]) + ("\u2026" if is_cut else ""), label, is_cut)


def cap(items: Sequence[Item], limit: int) -> tuple[tuple[Item, ...], int]:
    """Return the first ``limit`` items and how many were left out."""
    return tuple(items[:limit]), max(0, len(items) - limit)
