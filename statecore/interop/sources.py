"""Files: which ones a path means, and their text, unless they are no JSON at all, which is said by name."""

from __future__ import annotations

import mmap
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from statecore.core.errors import NotJsonError, UnknownShapeError
from statecore.interop.spans import Buffer, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
LINE_SUFFIXES: Final = (".jsonl", ".ndjson")

_MAPPED_BYTES: Final = 16 * 1024 * 1024
_HEAD_BYTES: Final = 4096
_BOM: Final = b"\xef\xbb\xbf"
_NOTHING: Final = Span(b"", 0, 0)
_EXPORT_FIRST: Final = "; export its sessions as JSON (`adk run --save_session`, or the web UI) and import that"
_MAGIC: Final = (
    (b"PK\x03\x04", "is a zip archive; unpack it and import the JSON files in it"),
    (b"\x1f\x8b", "is compressed with gzip; unpack it first"),
    (b"BZh", "is compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"),
    (b"PGDMP", f"is a dump of a PostgreSQL database{_EXPORT_FIRST}"),
    (b"\x80\x02", "is a Python pickle, which is never read"),
    (b"\x80\x03", "is a Python pickle, which is never read"),
    (b"\x80\x04", "is a Python pickle, which is never read"),
    (b"\x80\x05", "is a Python pickle, which is never read"),
    (b"\xff\xfe", "is UTF-16 text; save it as UTF-8 and import that"),
    (b"\xfe\xff", "is UTF-16 text; save it as UTF-8 and import that"),
)
_SQLITE: Final = b"SQLite format 3\x00"
# SQLite keeps the statements that made its tables as text.
_ADK_TABLE: Final = re.compile(rb'CREATE TABLE "?(?:sessions|app_states|user_states)"?', re.IGNORECASE)


def find_files(path: Path) -> list[Path]:
    """Return the file, or the JSON files directly in a folder by name. Raises UnknownShapeError if there is none."""
    if path.is_dir():
        found = sorted(child for child in path.iterdir() if child.suffix in SUFFIXES and child.is_file())
        if not found:
            raise UnknownShapeError("", f"is a folder without any of *{', *'.join(SUFFIXES)}")
        return found
    if not path.exists():
        raise UnknownShapeError("", "does not exist")
    if not path.is_file():
        raise UnknownShapeError("", "is not a file; save what it gives as a file and import that")
    return [path]


def open_text(path: Path) -> Span:
    """Return a file's text without its byte order mark. Raises UnknownShapeError, OSError.

    A large file is mapped: its pages are read when they are looked at, and the system takes them back at will.
    """
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        is_large = size > _MAPPED_BYTES
        buffer: Buffer = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if is_large else stream.read()
    head = buffer[:_HEAD_BYTES]
    _refuse_binary(head, buffer)
    text = Span(buffer, len(_BOM) if head.startswith(_BOM) else 0, len(buffer))
    if not any(chunk.strip() for chunk in text.chunks()):
        raise UnknownShapeError("", "is empty")
    return text


def _refuse_binary(head: bytes, buffer: Buffer) -> None:
    if head.startswith(_SQLITE):
        kind = "an ADK database in SQLite" if _ADK_TABLE.search(buffer) else "an SQLite database"
        raise UnknownShapeError("", f"is {kind}, not a session file{_EXPORT_FIRST}")
    for magic, reason in _MAGIC:
        if head.startswith(magic):
            raise UnknownShapeError("", reason)
    if b"\0" in head:
        raise UnknownShapeError("", "is binary, not JSON text")


def has_lines(text: Span, path: Path) -> bool:
    """Whether each line is a record of its own: by the file's name, or because one of the first two is one.

    Then a line that is broken loses nothing but itself.
    """
    if path.suffix in LINE_SUFFIXES:
        return True
    (_, first), (_, second) = [*islice(lines_of(text), 2), (0, _NOTHING), (0, _NOTHING)][:2]
    if second.size == 0 or first.first == "[":
        return False
    return (first.first in ("{", '"') and _is_value(first)) or (second.first == "{" and _is_value(second))


def lines_of(text: Span) -> Iterator[tuple[int, Span]]:
    """Yield the lines that are not blank, each with its number in the file, 1 for the first."""
    number, start = 1, text.start
    while start < text.end:
        found = text.buffer.find(b"\n", start, text.end)
        end = text.end if found < 0 else found
        line = replace(text, start=start, end=end).trimmed()
        if line.size > 0:
            yield number, line
        number, start = number + 1, end + 1


def _is_value(line: Span) -> bool:
    try:
        line.whole()
    except NotJsonError:
        return False
    return True
