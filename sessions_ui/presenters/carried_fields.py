"""Events that say and change nothing: which known fields they carry, in words, and what nobody told us about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from sessions_ui.presenters.blocks import spaced
from sessions_ui.presenters.content_parts import PART_RENDERERS
from sessions_ui.presenters.event_fields import (
    ACTION_RENDERERS,
    EVENT_RENDERERS,
    HEADER_FIELDS,
    content_parts,
    flag_words,
)
from sessions_ui.presenters.json_tree import compact_json
from sessions_ui.presenters.visible_text import one_line

MAX_NAMED: Final = 3
_SHORT: Final = 64
_CONTAINERS: Final = frozenset({"content", "actions", "stateDelta"})
_EMPTY: Final[tuple[Any, ...]] = (None, "", {}, [])


def describe_carried(payload: Mapping[str, Any]) -> str:
    """Return ``Carries usage metadata and finish reason STOP``; "" where no known field holds anything."""
    flags, named = [], []
    for name, value in _known(payload):
        if words := flag_words(name, value):
            flags.append(words)
        else:
            named.append(_name(name, value))
    clauses = [*flags[:MAX_NAMED], *([f"carries {_list(named)}"] if named else [])]
    sentence = "; ".join(clauses)
    return sentence[:1].upper() + sentence[1:]


def unknown_names(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an event that no known name holds, each name where the event has it."""
    found = _outside(payload, EVENT_RENDERERS.keys() | HEADER_FIELDS)
    actions = payload.get("actions")
    if isinstance(actions, Mapping):
        strange = _outside(actions, ACTION_RENDERERS.keys())
        if not isinstance(actions.get("stateDelta", {}), Mapping):
            strange["stateDelta"] = actions["stateDelta"]
        if strange:
            found["actions"] = strange
    elif actions is not None:
        found["actions"] = actions
    content = payload.get("content")
    if content is not None and not _is_plain_content(content):
        found["content"] = content
    return found


def _is_plain_content(content: Any) -> bool:
    """Whether a content has no names but ours; strange parts have lines of their own."""
    return (
        isinstance(content, Mapping)
        and content.keys() <= {"parts", "role"}
        and isinstance(content.get("parts", []), list | None)
    )


def _known(payload: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    actions = payload.get("actions")
    yield from _held(actions if isinstance(actions, Mapping) else {}, ACTION_RENDERERS.keys())
    for part in content_parts(payload):
        yield from _held(part if isinstance(part, Mapping) else {}, PART_RENDERERS.keys() - {"text", "thought"})
    yield from _held(payload, EVENT_RENDERERS.keys())


def _held(where: Mapping[str, Any], names: Collection[str]) -> Iterator[tuple[str, Any]]:
    for name, value in where.items():
        if name not in names or name in _CONTAINERS or value in _EMPTY:
            continue
        if name == "nodeInfo" and isinstance(value, Mapping) and not any(value.values()):
            continue  # {"path": ""}, which every event outside a workflow has
        yield name, value


def _outside(where: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in where.items() if name not in names}


def _name(name: str, value: Any) -> str:
    """Return the field's name in words, with its value where that is short by nature."""
    if isinstance(value, Mapping | list) or name == "thoughtSignature":
        return spaced(name)
    text = one_line(value, limit=_SHORT) if isinstance(value, str) else compact_json(value, limit=_SHORT)[0]
    return f"{spaced(name)} {text}"


def _list(names: list[str]) -> str:
    shown, more = names[:MAX_NAMED], len(names) - MAX_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more field{'s' * (more > 1)}"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
