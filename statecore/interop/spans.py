"""Spans: where values begin and end in a JSON text, found without building them.

A file of any size costs the memory of its largest event, and a value that is no JSON loses nothing but itself:
brackets and strings are enough to see where the next one begins.
"""

from __future__ import annotations

import json
import mmap
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from statecore.core.errors import InvalidInputError, NotJsonError
from statecore.core.jsontext import parse_json
from statecore.core.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

Buffer = bytes | mmap.mmap

_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]"]', re.DOTALL)
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR: Final = re.compile(rb'[^\s,:"{}\[\]]+')
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))  # the second and later bytes of a character in UTF-8
_CHUNK: Final = 1024 * 1024
_OPENING: Final = b"{["


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text. Of a value it is exact; of a line or a text it may have white space around it."""

    buffer: Buffer
    start: int
    end: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start

    @property
    def first(self) -> str:
        """The first character, which tells the kind of a value: ``{``, ``[``, ``"`` or another; "" if empty."""
        return chr(self.buffer[self.start]) if self.size > 0 else ""

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, a megabyte at a time."""
        for start in range(self.start, self.end, _CHUNK):
            yield self.buffer[start : min(start + _CHUNK, self.end)]

    def trimmed(self) -> Span:
        """Return the span without the white space before it."""
        return replace(self, start=self._skip_space(self.start))

    def parse(self, path: str, *, limits: Limits = DEFAULT_LIMITS) -> Any:
        """Build and check the value. Raises as parse_json does, with line and column of the whole text."""
        raw = self.buffer[self.start : self.end]
        try:
            return parse_json(raw, path=path, limits=limits)
        except NotJsonError:
            fault = self._syntax_fault(raw)
            if fault is None:
                raise
            raise NotJsonError(path, fault.reason) from None

    def whole(self) -> Span:
        """Return the one value that the span holds, without the white space around it."""
        value = next(self.values(), None)
        if value is None:
            raise self.broken("a value is missing", self.start)
        rest = self._skip_space(value.end)
        if rest < self.end:
            raise self.broken("something follows the end of the value", rest)
        return value

    def values(self) -> Iterator[Span]:
        """Yield the values that stand one after the other."""
        position = self._skip_space(self.start)
        while position < self.end:
            value = self._value_at(position)
            yield value
            position = self._skip_space(value.end)

    def goes_on_after(self, value: Span) -> bool:
        """Whether anything but white space follows a value."""
        return self._skip_space(value.end) < self.end

    def elements(self) -> Iterator[Span]:
        """Yield the elements of an array. Raises NotJsonError where it stops being one, or goes on after its end."""
        position = self._skip_space(self.start + 1)
        closed = self._is_at(position, "]")
        while not closed:
            element = self._value_at(position)
            yield element
            position, closed = self._after(element, "]")
        self._expect_end(position)

    def members(self) -> Iterator[tuple[str, Span]]:
        """Yield names and values of an object. Raises NotJsonError where it stops being one."""
        position = self._skip_space(self.start + 1)
        closed = self._is_at(position, "}")
        while not closed:
            name = self._value_at(position)
            if name.first != '"':
                raise self.broken("a name in quotes is missing", position)
            colon = self._skip_space(name.end)
            if not self._is_at(colon, ":"):
                raise self.broken("':' is missing", colon)
            value = self._value_at(self._skip_space(colon + 1))
            yield name.parse(""), value
            position, closed = self._after(value, "}")
        self._expect_end(position)

    def unquoted(self) -> Span:
        """Return the text inside a string as a text of its own. Raises NotJsonError."""
        try:
            # Nothing keeps the raw bytes: of a large file, each copy counts.
            text = json.loads(str(self.buffer[self.start : self.end], "utf-8")).encode()
        except ValueError:
            fault = self._syntax_fault(self.buffer[self.start : self.end])
            raise fault or NotJsonError("", "is JSON in a string that holds a lone surrogate") from None
        return Span(text, 0, len(text))

    def broken(self, what: str, position: int) -> NotJsonError:
        """Return the error that says what is wrong at a position, by line and column."""
        line = 1 + sum(chunk.count(b"\n") for chunk in replace(self, start=0, end=position).chunks())
        line_start = self.buffer.rfind(b"\n", 0, position) + 1
        before = replace(self, start=line_start, end=position)
        column = 1 + sum(len(chunk.translate(None, _CONTINUATION)) for chunk in before.chunks())
        return NotJsonError("", f"is not JSON: {what} at line {line} column {column}")

    def _syntax_fault(self, raw: bytes) -> NotJsonError | None:
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            return self.broken("the text is not UTF-8", self.start + error.start)
        try:
            json.loads(text, parse_int=str)
        except json.JSONDecodeError as error:
            return self.broken(error.msg, self.start + len(text[: error.pos].encode()))
        return None

    def _value_at(self, start: int) -> Span:
        first = self.buffer[start] if start < self.end else None
        if first is None:
            raise self.broken("the text ends in the middle", self.end)
        if first in _OPENING:
            return replace(self, start=start, end=self._closing(start))
        match = (_STRING if first == ord('"') else _SCALAR).match(self.buffer, start, self.end)
        if match is not None:
            return replace(self, start=start, end=match.end())
        raise self.broken("a string has no end" if first == ord('"') else "a value is missing", start)

    def _closing(self, start: int) -> int:
        """Return where the bracket that opens at ``start`` has been closed; which bracket closes is not looked at."""
        depth, position, search, buffer = 0, start, _TOKEN.search, self.buffer
        while True:
            token = search(buffer, position, self.end)
            if token is None:
                raise self.broken("the text ends in the middle of what begins", start)
            position = token.end()
            first = buffer[token.start()]
            if first in b"{[":
                depth += 1
            elif first in b"}]":
                depth -= 1
                if depth == 0:
                    return position
            elif position == token.start() + 1:
                raise self.broken("a string has no end", token.start())

    def _after(self, value: Span, closing: str) -> tuple[int, bool]:
        """Return where the next element or member begins, or where the closing bracket is, and which of the two."""
        position = self._skip_space(value.end)
        if self._is_at(position, closing):
            return position, True
        if not self._is_at(position, ","):
            if position >= self.end:
                raise self.broken("the text ends in the middle", self.end)
            raise self.broken(f"',' or '{closing}' is missing", position)
        return self._skip_space(position + 1), False

    def _expect_end(self, closing: int) -> None:
        rest = self._skip_space(closing + 1)
        if rest < self.end:
            raise self.broken("something follows the end", rest)

    def _is_at(self, position: int, character: str) -> bool:
        return position < self.end and self.buffer[position] == ord(character)

    def _skip_space(self, position: int) -> int:
        match = _SPACE.match(self.buffer, position, self.end)
        return match.end() if match else position


def members_of(span: Span, path: str) -> dict[str, Span]:
    """Return the members of an object by name; a name that stands twice is refused."""
    found: dict[str, Span] = {}
    for name, value in span.members():
        if name in found:
            raise InvalidInputError(f"{path}.{name}" if path else name, "is given twice; give it once")
        found[name] = value
    return found
