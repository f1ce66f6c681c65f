"""The receipt of a deleted session in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sessions_ui.presenters.instants import present_time
from sessions_ui.presenters.visible_text import count_of, visible_text

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

_RULES: Final = {"person": "by", "expired": "because its time was over, by"}


def describe_receipt(
    *, delete_time: datetime, rule: str, actor: str, event_count: int, now: datetime, zone: tzinfo
) -> str:
    """Return when, by which rule or person, and with how many events the session was deleted."""
    when = present_time(delete_time, now=now, zone=zone)
    how = _RULES.get(rule, f"by the rule {visible_text(rule)}, by")
    return f"It was deleted on {when.text}, {how} {visible_text(actor)}, with {count_of(event_count, 'event')}."
