"""What the body of an event is made of: one block for each part field and each event field, by name.

A block's ``shape`` names its template (``templates/parts/_<shape>.html``); ``raw`` is for names that nobody told us.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from sessions_ui.presenters.json_tree import TreeLine, compact_json, json_kind, present_tree, scalar_text
from sessions_ui.presenters.visible_text import byte_size, visible_text

Shape = Literal["text", "code", "facts", "tree", "media", "call", "flag", "raw", "delta"]

MAX_BLOCK_TEXT: Final = 4000
MAX_FACT: Final = 300

_HUMP: Final = re.compile("(?<=[a-z0-9])[A-Z]")


@dataclass(frozen=True, slots=True)
class Fact:
    """One named, short value. ``kind`` is the JSON kind, for its colour."""

    label: str
    text: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Media:
    """Bytes or a file that a part carries. ``part`` is its place (``2``, or ``2.0`` in a response), for its address."""

    mime_type: str
    size: str
    name: str = ""
    uri: str = ""
    part: str = ""
    is_picture: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """One rendered field. ``name`` is the field's name in the event JSON, ``label`` its words for people."""

    name: str
    label: str
    shape: Shape
    text: str = ""
    note: str = ""
    pointer: str = ""
    facts: tuple[Fact, ...] = ()
    tree: tuple[TreeLine, ...] = ()
    media: Media | None = None


def text_block(name: str, label: str, value: Any, *, pointer: str = "", note: str = "", shape: Shape = "text") -> Block:
    """Return prose or code; what is longer than a page of it is cut and can be loaded from ``pointer``."""
    if not isinstance(value, str):
        return raw_block(name, value, pointer=pointer, label=label)
    if len(value) <= MAX_BLOCK_TEXT:
        return Block(name, label, shape, text=visible_text(value), note=note)
    size = byte_size(len(value.encode("utf-8", "surrogatepass")))
    cut = f"cut at {MAX_BLOCK_TEXT:,} characters; {size} in all"
    return Block(
        name, label, shape, text=visible_text(value[:MAX_BLOCK_TEXT]), note=f"{note} {cut}".strip(), pointer=pointer
    )


def tree_block(name: str, label: str, value: Any, *, pointer: str, note: str = "") -> Block:
    """Return an object or a list as a tree, anything else as one fact."""
    if json_kind(value) in ("object", "array"):
        return Block(name, label, "tree", note=note, tree=present_tree(value, pointer=pointer))
    return fact_block(name, label, value, note=note, pointer=pointer)


def fact_block(name: str, label: str, value: Any, *, note: str = "", pointer: str = "") -> Block:
    """Return one short value under the field's label."""
    if json_kind(value) in ("object", "array"):
        return tree_block(name, label, value, pointer=pointer, note=note)
    if isinstance(value, str) and len(value) > MAX_FACT:
        return text_block(name, label, value, pointer=pointer, note=note)
    return Block(name, label, "facts", facts=(make_fact("", value),), note=note)


def object_block(
    name: str,
    label: str,
    value: Any,
    *,
    pointer: str,
    labels: Mapping[str, str] | None = None,
    hidden: Collection[str] = (),
    note: str = "",
) -> Block:
    """Return an object's short values as facts and its nested ones as a tree; ``hidden`` keys are shown elsewhere."""
    if not isinstance(value, Mapping):
        return fact_block(name, label, value, pointer=pointer, note=note)
    facts: list[Fact] = []
    nested: dict[str, Any] = {}
    for key, inner in value.items():
        if key in hidden:
            continue
        if json_kind(inner) in ("object", "array") and inner:
            nested[key] = inner
        else:
            facts.append(make_fact((labels or {}).get(key, "") or spaced(key), inner))
    tree = present_tree(nested, pointer=pointer) if nested else ()
    return Block(name, label, "facts", facts=tuple(facts), tree=tree, note=note)


def spaced(name: str) -> str:
    """Return ``promptTokenCount`` as ``prompt token count``; what is not camelCase stays as it is."""
    return visible_text(_HUMP.sub(lambda match: f" {match[0].lower()}", name))


def flag_block(name: str, value: Any, *, yes: str, no: str) -> Block:
    """Return a boolean as a sentence; another type is shown as the JSON it is."""
    if not isinstance(value, bool):
        return raw_block(name, value, pointer="", label=name)
    return Block(name, name, "flag", text=yes if value else no)


def raw_block(name: str, value: Any, *, pointer: str, label: str = "") -> Block:
    """Return JSON as it is: the last resort, for unknown names and for known names with an unknown shape."""
    text, is_cut = compact_json(value, limit=MAX_BLOCK_TEXT)
    return Block(
        name,
        label or visible_text(name),
        "raw",
        text=text,
        note="cut" if is_cut else "",
        pointer=pointer if is_cut else "",
    )


def make_fact(label: str, value: Any) -> Fact:
    """Return a fact with its value as people read it: texts without quotes, the rest as JSON."""
    kind = json_kind(value)
    if isinstance(value, str):
        return Fact(label, visible_text(value[:MAX_FACT]) + ("\u2026" if len(value) > MAX_FACT else ""), kind)
    if kind in ("object", "array"):
        return Fact(label, compact_json(value, limit=MAX_FACT)[0], kind)
    return Fact(label, scalar_text(value), kind)
