"""Values of state keys as people read them: masked, short, with their type; big ones by size alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from sessions_ui.presenters.json_tree import compact_json, json_kind
from sessions_ui.presenters.visible_text import byte_size, visible_text
from statecore.core.jsontext import dump_json, load_json
from statecore.core.masking import DEFAULT_RULES, MaskRules, mask_value
from statecore.core.scopes import Scope, format_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sessions_ui.presenters.records import HeldValue

SHOWN_LENGTH: Final = 160


@dataclass(frozen=True, slots=True)
class ShownValue:
    """``kind`` is the JSON kind, or removed, absent, big. ``is_cut``: there is more of it to load."""

    kind: str
    text: str
    note: str = ""
    is_cut: bool = False

    @property
    def css(self) -> str:
        """The classes that colour it."""
        return f"value-{self.kind}" if self.kind in ("removed", "absent", "big") else f"json json-{self.kind}"


REMOVED_VALUE: Final = ShownValue("removed", "removed")
ABSENT_VALUE: Final = ShownValue("absent", "absent")


def show_held(name: str, held: HeldValue, *, rules: MaskRules = DEFAULT_RULES) -> ShownValue:
    """Return what a page shows of a stored value of the key ``name``."""
    if held.state == "removed":
        return REMOVED_VALUE
    if held.state == "absent":
        return ABSENT_VALUE
    if held.text is None:
        return ShownValue("big", byte_size(held.size), "not loaded", is_cut=True)
    return show_value(name, load_json(held.text), rules=rules)


def show_value(name: str, value: Any, *, limit: int = SHOWN_LENGTH, rules: MaskRules = DEFAULT_RULES) -> ShownValue:
    """Return what a page shows of a JSON value under the key ``name``."""
    masked = mask_value(name, value, rules)
    text, is_cut = compact_json(masked, limit=limit)
    note = byte_size(len(dump_json(masked).encode("utf-8", "replace"))) if is_cut else ""
    return ShownValue(json_kind(masked), text, note, is_cut)


def shown_key(scope: Scope, name: str) -> str:
    """Return the key with its prefix, made visible; the empty key has a sign of its own."""
    return visible_text(format_key(scope, name)) or "\u201c\u201d (empty key)"


def key_query(scope: Scope, name: str, **more: str | int) -> str:
    """Return the query string that names a key; names never go into paths."""
    query: Mapping[str, str | int] = {"key": format_key(scope, name), **more}
    return urlencode(query)
