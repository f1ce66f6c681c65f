from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sessions_ui.presenters.session_rows import SessionRecord, SessionRow, present_sessions

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def row(**fields: Any) -> SessionRow:
    record = {
        "id": 4096,
        "session_id": "trip-7",
        "display_name": "",
        "app_owner_id": 1,
        "user_owner_id": 2,
        "revision": 1204,
        "error_count": 3,
        "edit_count": 0,
        "active_at": NOW,
        "receive_time": NOW - timedelta(minutes=2),
        "expire_time": NOW + timedelta(days=12),
        "hold_until": None,
        "app_name": "shop",
        "user_id": "ana@example.com",
        "metadata": None,
    }
    (shown,) = present_sessions([SessionRecord(**{**record, **fields})], now=NOW, zone=UTC)
    return shown


def test_row_says_when_and_how_much() -> None:
    shown = row()
    assert (shown.active.text, shown.active.relative) == ("1 Dec 2026 11:58:00 UTC", "2 min ago")
    assert (shown.events, shown.errors, shown.expires.relative) == ("1,204", "3", "in 12 d")


def test_row_is_named_by_display_name_before_the_one_in_state() -> None:
    metadata = '{"displayName": "Trip to Oslo"}'
    assert row(display_name="Trip to Bergen", metadata=metadata).title == "Trip to Bergen"
    assert row(metadata=metadata).title == "Trip to Oslo"
    assert row().title == ""


def test_metadata_that_holds_no_name_names_nothing() -> None:
    for metadata in ("null", "[]", "7", "{}", '{"displayName": 7}'):
        assert row(metadata=metadata).title == ""


def test_texts_from_outside_are_visible_and_cut() -> None:
    shown = row(session_id="a\u202eb" + "c" * 100, user_id="\u2066x", app_name="\u200fy", display_name="n\u202e" * 200)
    assert "\u27e8U+202E\u27e9" in shown.session_id.full
    assert len(shown.session_id.short) <= 24
    assert (shown.user_id, shown.app_name) == ("\u27e8U+2066\u27e9x", "\u27e8U+200F\u27e9y")
    assert len(shown.title) <= 81
    assert "\u202e" not in shown.title


def test_hold_counts_until_its_end() -> None:
    assert row(hold_until=NOW + timedelta(seconds=1)).is_held
    assert not row(hold_until=NOW).is_held
    assert not row().is_held
