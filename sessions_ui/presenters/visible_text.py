"""Text from outside, made safe to look at: control and bidi characters are shown instead of obeyed.

Escaping of HTML is the template's; this module deals with what HTML leaves alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_OBEYED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_CONTROL_PICTURES: Final = 0x2400
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F


def visible_text(text: str) -> str:
    """Return ``text`` with each control or bidi character replaced by a mark that names it (tab and newline stay)."""
    return _OBEYED.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < _FIRST_PRINTABLE:
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    return f"\u27e8U+{code:04X}\u27e9"


def visible_json(text: str) -> str:
    """Return JSON text with those characters escaped as JSON does: visible, and still the same JSON."""
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@dataclass(frozen=True, slots=True)
class ShownId:
    """An id for reading (``short``, cut in its middle) and for copying (``full``)."""

    full: str
    short: str


def shown_id(text: str) -> ShownId:
    """Return an id made visible, in full and short."""
    return ShownId(visible_text(text), cut_middle(text))


def one_line(text: str, *, limit: int) -> str:
    """Return visible text on one line, white space collapsed, cut at its end to ``limit`` characters."""
    # Twice the limit is enough to fill it after collapsing all but the strangest white space, and spares huge texts.
    line = " ".join(visible_text(text[: limit * 2 + 80]).split())
    is_cut = len(line) > limit or len(text) > limit * 2 + 80
    return f"{line[:limit].rstrip()}\u2026" if is_cut else line


def cut_middle(text: str, *, limit: int = 24) -> str:
    """Return visible text cut in its middle: the two ends tell ids apart."""
    shown = visible_text(text)
    if len(shown) <= limit:
        return shown
    head = (limit - 1) * 2 // 3
    return f"{shown[:head]}\u2026{shown[head + 1 - limit :]}"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 event`` or ``1,204 events``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def byte_size(size: int) -> str:
    """Return a size in the unit people read: ``812 B``, ``12 KB``, ``5.0 MB``."""
    if size < 1000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1000:.0f} KB"
    return f"{size / 1_000_000:.1f} MB"
