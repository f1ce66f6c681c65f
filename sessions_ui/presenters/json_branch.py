"""A part of a JSON value on its own: a branch of a tree, or one long text in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sessions_ui.presenters.json_tree import Kind, TreeLine, json_kind, present_tree, resolve_pointer
from sessions_ui.presenters.visible_text import byte_size, visible_text

MAX_LINES: Final = 400
MAX_TEXT: Final = 128 * 1024


@dataclass(frozen=True, slots=True)
class Branch:
    """``tree`` for objects and lists, ``text`` for a long text; ``size`` says how big all of it is."""

    pointer: str
    shown_pointer: str
    kind: Kind
    tree: tuple[TreeLine, ...] = ()
    text: str | None = None
    size: str = ""
    start: int = 0
    next_start: int | None = None


def present_branch(value: Any, *, pointer: str, start: int = 0) -> Branch:
    """Return the branch of a masked value; raise ``LookupError`` where ``pointer`` leads nowhere.

    ``start`` is the first child shown, or the first character of a text.
    """
    inner = resolve_pointer(value, pointer)
    kind = json_kind(inner)
    if not isinstance(inner, str):
        tree = present_tree(inner, max_lines=MAX_LINES, pointer=pointer, start=start)
        return Branch(pointer, visible_text(pointer), kind, tree=tree, start=start)
    end = start + MAX_TEXT
    return Branch(
        pointer,
        visible_text(pointer),
        kind,
        text=visible_text(inner[start:end]),
        size=byte_size(len(inner.encode("utf-8", "replace"))),
        start=start,
        next_start=end if end < len(inner) else None,
    )
