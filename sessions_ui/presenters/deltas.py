"""What an event did to state, as rows: old to new, by scope, each with what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from sessions_ui.presenters.records import ABSENT, ChangeRecord, EventRecord, HeldValue
from sessions_ui.presenters.state_values import (
    REMOVED_VALUE,
    ShownValue,
    key_query,
    show_held,
    show_value,
    shown_key,
)
from statecore.core.delta import REMOVED
from statecore.core.events import RESERVED_METADATA, EventFlag
from statecore.core.jsontext import json_equal, load_json
from statecore.core.masking import DEFAULT_RULES, MaskRules
from statecore.core.scopes import Scope, has_misleading_prefix, parse_key

_ORDER: Final = {Scope.SESSION: 0, Scope.USER: 1, Scope.APP: 2}


@dataclass(frozen=True, slots=True)
class DeltaRow:
    """One key of a delta. ``notes`` are whole phrases; ``query`` names the key for links."""

    scope: Scope
    key: str
    old: ShownValue
    new: ShownValue
    query: str
    notes: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        """``+`` for a new key, a minus sign for a removed one, ``~`` for a change."""
        if self.new.kind == "removed":
            return "\u2212"
        return "+" if self.old.kind in ("absent", "removed") else "~"

    @property
    def sign_word(self) -> str:
        """The sign in a word, for those who do not see it."""
        return {"+": "added", "~": "changed"}.get(self.sign, "removed")


def delta_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys (with prefix) that an event sets, and those that it removes with :data:`REMOVED`, by scope."""
    actions = payload.get("actions")
    values = actions.get("stateDelta") if isinstance(actions, Mapping) else None
    delta = dict(values) if isinstance(values, Mapping) else {}
    metadata = payload.get("customMetadata")
    ours = metadata.get(RESERVED_METADATA) if isinstance(metadata, Mapping) else None
    removed = ours.get("removed") if isinstance(ours, Mapping) else None
    for key in removed if isinstance(removed, list) else ():
        if isinstance(key, str):
            delta[key] = REMOVED
    stored = [key for key in delta if parse_key(key)[0] is not Scope.TEMP]
    return {key: delta[key] for key in sorted(stored, key=lambda key: _ORDER[parse_key(key)[0]])}


def written_keys(records: Iterable[EventRecord], *, first: int, last: int, limit: int) -> set[str]:
    """Return the keys that events ``first`` to ``last`` say they wrote, the first ``limit`` of each event."""
    return {
        key
        for record in records
        if first <= record.seq <= last and record.payload_json is not None
        for key in islice(delta_of(load_json(record.payload_json)), limit)
    }


def present_delta(
    record: EventRecord,
    delta: Mapping[str, Any],
    changes: Mapping[tuple[Scope, str], ChangeRecord],
    *,
    limit: int,
    rules: MaskRules = DEFAULT_RULES,
) -> tuple[DeltaRow, ...]:
    """Return the first ``limit`` rows of one event. ``changes`` holds its stored changes by scope and name."""
    rows: list[DeltaRow] = []
    for key, value in islice(delta.items(), limit):
        scope, name = parse_key(key)
        change = changes.get((scope, name))
        old = change.old if change else ABSENT
        notes = _odd_about(key, value, old)
        if change is None and scope is not Scope.SESSION and EventFlag.IS_IMPORTED in record.flags:
            notes.append("not applied to shared state")
        new = REMOVED_VALUE if value is REMOVED else show_value(name, value, rules=rules)
        shown_old = show_held(name, old, rules=rules)
        notes += _type_change(shown_old, new)
        rows.append(DeltaRow(scope, shown_key(scope, name), shown_old, new, key_query(scope, name), tuple(notes)))
    return tuple(rows)


def present_changes(changes: Sequence[ChangeRecord], *, rules: MaskRules = DEFAULT_RULES) -> list[DeltaRow]:
    """Return the rows of changes that no event's payload shows: a baseline or an import correction."""
    rows = []
    for change in sorted(changes, key=lambda each: (_ORDER[each.scope], each.name)):
        old, new = (show_held(change.name, held, rules=rules) for held in (change.old, change.new))
        query = key_query(change.scope, change.name)
        key = shown_key(change.scope, change.name)
        notes = [] if change.new.text is None else _odd_about(key, load_json(change.new.text), change.old)
        rows.append(DeltaRow(change.scope, key, old, new, query, (*notes, *_type_change(old, new))))
    return rows


def _odd_about(key: str, value: Any, old: HeldValue) -> list[str]:
    notes = []
    if has_misleading_prefix(key):
        notes.append("the second prefix is part of the name")
    if value is REMOVED and old.state != "value":
        notes.append("there was nothing to remove")
    elif value is not REMOVED and old.text is not None and json_equal(load_json(old.text), value):
        notes.append("no change: the same value again")
    return notes


def _type_change(old: ShownValue, new: ShownValue) -> list[str]:
    typeless = {"absent", "removed", "big", "masked"}
    if old.kind == new.kind or old.kind in typeless or new.kind in typeless:
        return []
    return [f"type changed from {old.kind} to {new.kind}"]
