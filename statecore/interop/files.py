"""Files: every session in one, whatever it is wrapped in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from statecore.core.errors import InvalidInputError, UnknownShapeError
from statecore.interop.records import Frame, Overrides, read_object, read_record, read_text
from statecore.interop.sources import has_lines, lines_of, open_text
from statecore.interop.spans import Span, members_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from statecore.service.importing import ImportRecord

EXPORT_FORMAT: Final = "statecore-export"
EXPORT_VERSION: Final = 1
_STRINGS_IN_STRINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A session of a file. Either ``record`` or ``refusal`` is there; ``notes`` say what was made up or odd.

    ``place`` is where in the file it is (``record 3``, ``line 3``), "" if there is nothing else in it.
    """

    place: str
    record: ImportRecord | None = None
    refusal: str = ""
    notes: tuple[str, ...] = ()


def read_file(path: Path, overrides: Overrides) -> Iterator[Found]:
    """Yield the sessions of a file in its order; what breaks the text itself comes last, as a refusal.

    Raises OSError if the file cannot be read.
    """
    try:
        text = open_text(path)
        if has_lines(text, path):
            reader = FileReader(overrides)
            for number, line in lines_of(text):
                yield from reader.read(line, f"line {number}")
        else:
            yield from FileReader(overrides).read(text, "")
    except InvalidInputError as error:
        yield Found("", refusal=str(error))


class FileReader:
    """Reads texts of one file. It remembers an export's header, which may be the first of many lines."""

    def __init__(self, overrides: Overrides) -> None:
        self._overrides = overrides
        self._is_masked = False

    def read(self, text: Span, place: str, *, depth: int = 0) -> Iterator[Found]:
        """Yield the sessions of a text: of one value, of an array, of values that follow each other, of an export."""
        text = text.trimmed()
        number = 0
        try:
            for value in _values(text):
                number += 1
                is_alone = number == 1 and text.first != "[" and not text.goes_on_after(value)
                yield from self._read_value(value, place if is_alone else _join(place, f"record {number}"), depth)
        except InvalidInputError as error:
            yield Found(_join(place, f"record {number + 1}") if number else place, refusal=str(error))

    def _read_value(self, value: Span, place: str, depth: int) -> Iterator[Found]:
        try:
            if value.first == '"' and depth < _STRINGS_IN_STRINGS:
                yield from self.read(value.unquoted(), place, depth=depth + 1)
            elif value.first == "{":
                yield from self._read_object(value, place, depth)
            elif value.first == "[":
                raise UnknownShapeError("", "is an array inside of an array, not a session")
            else:
                value.parse("")
                raise UnknownShapeError("", "is a single value, not a session")
        except InvalidInputError as error:
            yield Found(place, refusal=str(error))

    def _read_object(self, value: Span, place: str, depth: int) -> Iterator[Found]:
        members = members_of(value, "")
        if "format" in members and "events" not in members:
            yield from self._read_export(members, place)
        elif "session" in members and "events" not in members:
            yield self._read_framed(members, place, depth)
        else:
            yield _found(place, value, self._overrides, Frame(is_masked=self._is_masked))

    def _read_export(self, members: dict[str, Span], place: str) -> Iterator[Found]:
        """Read an export, or the header that stands before an export's lines."""
        if members["format"].parse("format") != EXPORT_FORMAT:
            raise UnknownShapeError("format", f"is not {EXPORT_FORMAT!r}, so this is not an export that can be read")
        version = members["version"].parse("version") if "version" in members else None
        if version != EXPORT_VERSION:
            raise UnknownShapeError(
                "version", f"of the export is not {EXPORT_VERSION}; import it with the release that made it"
            )
        self._is_masked = "mask" in members and bool(members["mask"].parse("mask"))
        if "sessions" in members:
            if members["sessions"].first != "[":
                raise InvalidInputError("sessions", "must be an array")
            yield from self.read(members["sessions"], place)

    def _read_framed(self, members: dict[str, Span], place: str, depth: int) -> Found:
        """Read an export's entry: a session and what is told beside it."""
        session = members["session"]
        if session.first == '"' and depth < _STRINGS_IN_STRINGS:
            session = session.unquoted().whole()
        if session.first != "{":
            raise InvalidInputError("session", "must be an object")
        labels = read_object(members.get("labels"), "labels")
        for name, label in (labels or {}).items():
            if not isinstance(label, str):
                raise InvalidInputError(f"labels.{name}", "must be text")
        frame = Frame(
            baseline=read_object(members.get("baseline"), "baseline"),
            display_name=read_text(members["display_name"], "display_name") if "display_name" in members else None,
            labels=labels,
            is_masked=self._is_masked,
        )
        return _found(place, session, self._overrides, frame)


def _values(text: Span) -> Iterator[Span]:
    return text.elements() if text.first == "[" else text.values()


def _found(place: str, value: Span, overrides: Overrides, frame: Frame) -> Found:
    record, notes = read_record(value, overrides, frame)
    return Found(place, record=record, notes=notes)


def _join(place: str, inner: str) -> str:
    return f"{place} {inner}" if place else inner
