"""A JSON file as a stream of tokens: memory for one record at a time, whatever the file's size."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

import ijson
from ijson.backends import python as careful_backend

from statecore.core.errors import NotJsonError
from statecore.core.jsontext import exact_number
from statecore.core.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Token = tuple[str, str, Any]

# The fast reader turns a lone surrogate into "?", silently; the careful one hands it on, to be refused by its path.
# An escaped backslash before "ud800" only costs time.
_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_LOCATED_BYTES: Final = 64 * 1024 * 1024
_CHUNK: Final = 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """One JSON text: a file, or one line of a file of lines. ``where`` names it in reports."""

    where: str
    path: Path | None = None
    line: bytes = b""

    def open(self) -> IO[bytes]:
        """Open the text from its beginning, after a byte order mark."""
        stream: IO[bytes] = io.BytesIO(self.line) if self.path is None else self.path.open("rb")
        if stream.read(len(_BOM)) != _BOM:
            stream.seek(0)
        return stream

    def tokens(self) -> Iterator[Token]:
        """Yield ``(prefix, kind, value)`` as ijson does; NotJsonError where the text breaks off being JSON."""
        with self.open() as stream:
            backend = careful_backend if _has_lone_surrogate(stream) else ijson
            stream.seek(0)
            if stream.read(len(_BOM)) != _BOM:
                stream.seek(0)
            depth = 0
            try:
                for prefix, kind, value in backend.parse(stream):
                    depth += (kind in ("start_map", "start_array")) - (kind in ("end_map", "end_array"))
                    if depth > DEFAULT_LIMITS.depth + 10:
                        raise NotJsonError(self.where, f"is nested more than {DEFAULT_LIMITS.depth} levels deep")
                    yield prefix, kind, exact_number(value) if kind == "number" else value
            except (ijson.JSONError, UnicodeDecodeError, RecursionError) as error:
                raise NotJsonError(self.where, self._place_of(error)) from None

    def _place_of(self, error: Exception) -> str:
        """Say where the text breaks: line and column where the text is small enough to look again."""
        with self.open() as stream:
            text = stream.read(_LOCATED_BYTES + 1)
        if len(text) <= _LOCATED_BYTES:
            try:
                json.loads(text)
            except json.JSONDecodeError as exact:
                return f"is not JSON: {exact.msg} at line {exact.lineno} column {exact.colno}"
            except (UnicodeDecodeError, RecursionError):
                pass
        return f"is not JSON: {str(error).splitlines()[0]}"


def _has_lone_surrogate(stream: IO[bytes]) -> bool:
    kept = b""
    while chunk := stream.read(_CHUNK):
        text = _PAIR.sub(b"", kept + chunk)
        if _SURROGATE.search(text[:-6]):
            return True
        kept = text[-12:]
    return _SURROGATE.search(kept) is not None
