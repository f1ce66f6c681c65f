"""Tokens to parts: where a session begins and ends in a text, its fields, and its events one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from ijson.common import ObjectBuilder

from statecore.core.errors import UnknownShapeError
from statecore.interop.tokens import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from statecore.interop.tokens import Token

_REFUSED_FIELDS: Final = {
    "eval_cases": "is an eval set, not a session; import the sessions that were recorded from it",
    "evalCases": "is an eval set, not a session; import the sessions that were recorded from it",
    "queries": "is a list of queries for `adk run --replay`, not a session; run it and import what that saves",
}


class PartKind(Enum):
    """What a part is."""

    START = "start"
    FIELD = "field"
    EVENT = "event"
    END = "end"
    WRAPPER = "wrapper"  # what was started is no session but holds sessions
    WRONG = "wrong"  # not a session at all; the value says why


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text; ``value`` is a parsed JSON value."""

    kind: PartKind
    name: str = ""
    value: Any = None


def read_parts(source: Source) -> Iterator[Part]:
    """Yield the parts of all sessions of a text in their order. Raises NotJsonError where it stops being JSON."""
    tokens = source.tokens()
    first = next(tokens)
    if first[1] == "string":
        yield from read_parts(Source(source.where, line=first[2].encode("utf-8", "surrogatepass")))
    elif first[1] == "start_array":
        yield from _read_array(tokens)
    elif first[1] == "start_map":
        yield from _read_record(tokens)
    else:
        raise UnknownShapeError(source.where, "is a single value, not a session")
    for _ in tokens:  # what follows would be a second text
        raise UnknownShapeError(source.where, "goes on after its end")


def _read_array(tokens: Iterator[Token]) -> Iterator[Part]:
    for token in tokens:
        if token[1] == "end_array":
            return
        if token[1] == "start_map":
            yield from _read_record(tokens)
        else:
            _build(tokens, token)
            yield Part(PartKind.START)
            yield Part(PartKind.WRONG, value="is not an object, so not a session")
            yield Part(PartKind.END)


def _read_record(tokens: Iterator[Token]) -> Iterator[Part]:
    yield Part(PartKind.START)
    yield from _read_fields(tokens)
    yield Part(PartKind.END)


def _read_fields(tokens: Iterator[Token]) -> Iterator[Part]:
    """Read the fields of an object whose beginning was read; ``session`` is an export's wrapper around one."""
    for _, kind, name in tokens:
        if kind == "end_map":
            return
        first = next(tokens)
        if name in _REFUSED_FIELDS:
            yield Part(PartKind.WRONG, value=_REFUSED_FIELDS[name])
            _build(tokens, first)
        elif name == "events" and first[1] == "start_array":
            yield Part(PartKind.FIELD, "events")
            for token in tokens:
                if token[1] == "end_array":
                    break
                yield Part(PartKind.EVENT, value=_build(tokens, token))
        elif name == "sessions" and first[1] == "start_array":
            yield Part(PartKind.WRAPPER)
            yield from _read_array(tokens)
        elif name == "session" and first[1] == "start_map":
            yield from _read_fields(tokens)
        else:
            yield Part(PartKind.FIELD, name, _build(tokens, first))


def _build(tokens: Iterator[Token], first: Token) -> Any:
    """Build one value from its tokens."""
    builder = ObjectBuilder()
    token = first
    depth = 0
    while True:
        _, kind, value = token
        builder.event(kind, value)
        depth += (kind in ("start_map", "start_array")) - (kind in ("end_map", "end_array"))
        if depth == 0:
            return builder.value
        token = next(tokens)
