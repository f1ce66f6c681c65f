"""Shared state as the page of its app or user shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions_ui.presenters.state_values import ShownValue, key_query, show_held, shown_key
from statecore.core.delta import ChangeKind
from statecore.core.masking import DEFAULT_RULES, MaskRules
from statecore.core.scopes import format_key, has_misleading_prefix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessions_ui.presenters.records import KeyRecord


@dataclass(frozen=True, slots=True)
class OwnerKeyRow:
    """One key with its current value, and what wrote it."""

    key: str
    value: ShownValue
    query: str
    source: str
    source_session: int | None
    source_seq: int
    note: str


@dataclass(frozen=True, slots=True)
class OwnerState:
    """The keys of one page; ``next_name`` says after which key the next page begins, None at the end."""

    rows: tuple[OwnerKeyRow, ...]
    next_name: str | None


def present_owner_state(
    keys: Sequence[KeyRecord], *, page_size: int, rules: MaskRules = DEFAULT_RULES
) -> OwnerState:
    """Return the keys that have a value now; removed ones are in their history."""
    rows = tuple(_row(record, rules) for record in keys[:page_size] if record.held.state == "value")
    return OwnerState(rows, keys[page_size - 1].name if len(keys) > page_size else None)


def _row(record: KeyRecord, rules: MaskRules) -> OwnerKeyRow:
    is_outside = record.kind is ChangeKind.OUTSIDE
    source = "an edit outside any session" if is_outside else f"#{record.seq}" if record.seq else "baseline"
    misleading = has_misleading_prefix(format_key(record.scope, record.name))
    return OwnerKeyRow(
        key=shown_key(record.scope, record.name),
        value=show_held(record.name, record.held, rules=rules),
        query=key_query(record.scope, record.name),
        source=source,
        source_session=None if is_outside else record.session_ref,
        source_seq=record.seq,
        note="the second prefix is part of the name" if misleading else "",
    )
