"""A JSON value as a flat list of lines that open and close, so that no template recurses.

A tree prints at most ``max_lines`` lines and ``max_depth`` levels; what is left out says how much it is, and where to
load it (a JSON pointer below the value's own address).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from sessions_ui.presenters.visible_text import byte_size, count_of, visible_json, visible_text
from statecore.core.jsontext import dump_json
from statecore.core.masking import MASKED

MAX_LINES: Final = 120
MAX_DEPTH: Final = 6
MAX_TEXT: Final = 2000
OPEN_DEPTH: Final = 3
OPEN_CHILDREN: Final = 6

Kind = Literal["object", "array", "text", "number", "boolean", "null", "masked"]


@dataclass(frozen=True, slots=True)
class TreeLine:
    """``shape`` is open, close, leaf or more (a branch to load on demand from ``pointer``)."""

    shape: Literal["open", "close", "leaf", "more"]
    label: str = ""
    kind: Kind = "null"
    text: str = ""
    note: str = ""
    pointer: str = ""
    start: int = 0
    is_open: bool = False


def json_kind(value: Any) -> Kind:
    """Return the JSON type's name for people; a masked text has a kind of its own."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, str):
        return "masked" if value == MASKED else "text"
    return "object" if isinstance(value, Mapping) else "array"


def scalar_text(value: Any) -> str:
    """Return a scalar as JSON writes it, made visible."""
    return visible_json(dump_json(value))


def present_tree(
    value: Any,
    *,
    max_lines: int = MAX_LINES,
    max_depth: int = MAX_DEPTH,
    pointer: str = "",
    label: str = "",
    start: int = 0,
) -> tuple[TreeLine, ...]:
    """Return the lines of ``value``, its first level open and beginning with child number ``start``."""
    return tuple(_Walk(max_lines, max_depth, start).lines(value, label=label, pointer=pointer, depth=0))


def resolve_pointer(value: Any, pointer: str) -> Any:
    """Return the part of ``value`` that an RFC 6901 pointer names; raise ``LookupError`` if there is none."""
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value[name]
        elif isinstance(value, list) and name.isascii() and name.isdigit():
            value = value[int(name)]
        else:
            raise LookupError(pointer)
    return value


def point_to(pointer: str, step: str | int) -> str:
    """Return ``pointer`` one step deeper."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


class _Walk:
    """One walk over a value, counting down the lines that are left. Depth is bounded, so recursion is."""

    def __init__(self, max_lines: int, max_depth: int, start: int) -> None:
        self.left = max_lines
        self.max_depth = max_depth
        self.start = start

    def lines(self, value: Any, *, label: str, pointer: str, depth: int) -> Iterator[TreeLine]:
        self.left -= 1
        kind = json_kind(value)
        if kind not in ("object", "array"):
            yield _leaf(value, kind, label, pointer)
            return
        children = list(value.items()) if kind == "object" else list(enumerate(value))
        size = count_of(len(children), "key") if kind == "object" else count_of(len(children), "item")
        if not children:
            yield TreeLine("leaf", label, kind, "{}" if kind == "object" else "[]")
            return
        if depth >= self.max_depth or self.left <= 0:
            yield TreeLine("more", label, kind, size, pointer=pointer)
            return
        start = self.start if depth == 0 else 0
        is_open = depth == 0 or (depth < OPEN_DEPTH and len(children) <= OPEN_CHILDREN)
        yield TreeLine("open", label, kind, size, pointer=pointer, is_open=is_open)
        for position, (name, child) in enumerate(children[start:], start):
            if self.left <= 0:
                rest = f"{len(children) - position:,} more of {len(children):,}"
                yield TreeLine("more", "", kind, rest, pointer=pointer, start=position)
                break
            yield from self.lines(
                child, label=visible_text(str(name)), pointer=point_to(pointer, name), depth=depth + 1
            )
        yield TreeLine("close")


def _leaf(value: Any, kind: Kind, label: str, pointer: str) -> TreeLine:
    if kind == "text" and len(value) > MAX_TEXT:
        size = byte_size(len(value.encode("utf-8", "surrogatepass")))
        return TreeLine("leaf", label, kind, scalar_text(value[:MAX_TEXT]), f"cut; {size} in all", pointer)
    return TreeLine("leaf", label, kind, value if kind == "masked" else scalar_text(value))


def compact_json(value: Any, *, limit: int) -> tuple[str, bool]:
    """Return ``value`` on one line as JSON, made visible, and whether it was cut at ``limit`` characters."""
    if isinstance(value, str):
        if value == MASKED:
            return value, False
        if len(value) > limit:
            return f"{scalar_text(value[:limit])[:-1]}\u2026", True
    text = dump_json(value)
    if len(text) > limit:
        return f"{visible_json(text[:limit])}\u2026", True
    return visible_json(text), False
