"""State by scope as of one event, with what that event changed lit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sessions_ui.presenters.state_values import ShownValue, key_query, show_held, shown_key
from sessions_ui.presenters.visible_text import cut_middle
from statecore.core.delta import ChangeKind
from statecore.core.masking import DEFAULT_RULES, MaskRules
from statecore.core.scopes import Scope, format_key, has_misleading_prefix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessions_ui.presenters.records import KeyRecord

SCOPES: Final = (Scope.SESSION, Scope.USER, Scope.APP)
_SEEN_BY: Final = {
    Scope.SESSION: "this session's own",
    Scope.USER: "shared by all sessions of the user",
    Scope.APP: "shared by all users of the app",
}


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One key. ``source`` says what set it; ``source_seq`` and ``source_session`` lead there (None: nowhere)."""

    key: str
    value: ShownValue
    query: str
    source: str
    source_seq: int | None
    source_session: int | None
    is_lit: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class ScopeSection:
    """The keys of one scope; ``more`` says whether some were left out, ``next_key`` where they go on."""

    scope: Scope
    seen_by: str
    rows: tuple[KeyRow, ...]
    next_key: str = ""

    @property
    def count_text(self) -> str:
        """``4 keys``; ``more than 200 keys`` where the section was cut."""
        count = len(self.rows)
        text = f"{count:,} {'key' if count == 1 else 'keys'}"
        return f"{text} shown, more follow" if self.next_key else text


def present_state(
    keys: Sequence[KeyRecord],
    *,
    session_ref: int,
    seq: int | None,
    event_gid: int | None,
    page_size: int,
    rules: MaskRules = DEFAULT_RULES,
) -> list[ScopeSection]:
    """Return the sections of a state panel as of event ``seq`` (None: now, where nothing is lit).

    A removed key is shown, as removed, only where this event removed it.
    """
    sections = []
    for scope in SCOPES:
        rows: list[KeyRow] = []
        next_key = ""
        own = [key for key in keys if key.scope is scope]
        for record in own[:page_size]:
            is_lit = _is_lit(record, session_ref=session_ref, seq=seq, event_gid=event_gid)
            if record.held.state == "value" or (record.held.state == "removed" and is_lit):
                rows.append(_row(record, session_ref, is_lit=is_lit, rules=rules))
        if len(own) > page_size:
            next_key = format_key(scope, own[page_size - 1].name)
        sections.append(ScopeSection(scope, _SEEN_BY[scope], tuple(rows), next_key))
    return sections


def _is_lit(record: KeyRecord, *, session_ref: int, seq: int | None, event_gid: int | None) -> bool:
    if record.session_ref != session_ref or record.seq != seq:
        return False
    return record.scope is Scope.SESSION or record.position == event_gid


def _row(record: KeyRecord, session_ref: int, *, is_lit: bool, rules: MaskRules) -> KeyRow:
    key = format_key(record.scope, record.name)
    note = "the second prefix is part of the name" if has_misleading_prefix(key) else ""
    row = KeyRow(
        key=shown_key(record.scope, record.name),
        value=show_held(record.name, record.held, rules=rules),
        query=key_query(record.scope, record.name),
        source=f"#{record.seq}",
        source_seq=record.seq,
        source_session=None,
        is_lit=is_lit,
        note=note,
    )
    if record.kind is ChangeKind.OUTSIDE:
        return replace(row, source="an edit outside any session", source_seq=None)
    if record.kind is ChangeKind.IMPORT_CORRECTION:
        row = replace(row, source=f"import correction after #{record.seq}")
    elif record.seq == 0:
        row = replace(row, source="baseline")
    if record.session_ref == session_ref:
        return row
    if not record.session_name:
        return replace(row, source=f"{row.source} of a deleted session", source_seq=None)
    name = cut_middle(record.session_name)
    return replace(row, source=f"{row.source} of {name}", source_session=record.session_ref)
