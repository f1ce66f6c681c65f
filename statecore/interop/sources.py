"""Files to sources: which JSON texts a path holds, and what is no JSON at all, by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from statecore.core.errors import UnknownShapeError
from statecore.interop.tokens import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
_LINE_SUFFIXES: Final = (".jsonl", ".ndjson")
_MAGIC: Final = (
    (b"SQLite format 3\0", "is an SQLite database, not a session file; export its sessions as JSON first"),
    (b"PK\x03\x04", "is a zip archive; unpack it first"),
    (b"\x1f\x8b", "is compressed; unpack it first"),
    (b"\x80\x04", "is a Python pickle, which is never read"),
)


def find_files(path: Path) -> list[Path]:
    """Return the file, or the JSON files in a folder by name. Raises UnknownShapeError if there is none."""
    if path.is_dir():
        found = sorted(child for child in path.iterdir() if child.suffix in _SUFFIXES and child.is_file())
        if not found:
            raise UnknownShapeError(path.name, f"is a folder without any of {', '.join(_SUFFIXES)}")
        return found
    if not path.exists():
        raise UnknownShapeError(path.name, "does not exist")
    return [path]


def read_sources(path: Path) -> Iterator[Source]:
    """Yield the JSON texts of a file: the file itself, or each line of a file of lines."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    for magic, reason in _MAGIC:
        if head.startswith(magic):
            raise UnknownShapeError(path.name, reason)
    if not head.strip():
        raise UnknownShapeError(path.name, "is empty")
    if not _is_lines(path):
        yield Source(path.name, path=path)
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield Source(f"{path.name} line {number}", line=line)


def _is_lines(path: Path) -> bool:
    """Whether each line is a record of its own: by the file's name, or by how its first two lines begin and end."""
    if path.suffix in _LINE_SUFFIXES:
        return True
    with path.open("rb") as stream:
        lines = (line.strip() for line in stream)
        first = next((line for line in lines if line), b"")
        second = next((line for line in lines if line), b"")
    return first.endswith(b"}") and second.startswith(b"{")
