from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sessions_ui.presenters.instants import describe_distance, describe_duration, present_time

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def test_time_is_absolute_first_with_its_zone_and_relative_second() -> None:
    shown = present_time(NOW - timedelta(minutes=2), now=NOW)
    assert shown.text == "1 Dec 2026 11:58:00 UTC"
    assert shown.iso == "2026-12-01T11:58:00Z"
    assert shown.relative == "2 min ago"


def test_zone_changes_only_what_is_displayed() -> None:
    shown = present_time(NOW, now=NOW, zone=ZoneInfo("Europe/Oslo"))
    assert shown.text == "1 Dec 2026 13:00:00 CET"
    assert shown.iso == "2026-12-01T12:00:00Z"


@pytest.mark.parametrize("seconds", [253402300800.0, 1e308, -1e308, -62135596801.0])
def test_timestamp_beyond_the_calendar_is_shown_as_its_number(seconds: float) -> None:
    shown = present_time(seconds, now=NOW)
    assert shown.iso == ""
    assert shown.text == f"{seconds!r} s since 1970"


@pytest.mark.parametrize(("seconds", "year"), [(0.0, "1970"), (-86400.0, "1969"), (253402300799.0, "9999")])
def test_strange_timestamp_within_the_calendar_is_a_date(seconds: float, year: str) -> None:
    assert year in present_time(seconds, now=NOW).text


def test_last_hour_of_the_calendar_does_not_overflow_in_an_eastern_zone() -> None:
    assert present_time(253402300799.0, now=NOW, zone=ZoneInfo("Asia/Tokyo")).text.endswith("UTC")


def test_distance_says_in_or_ago() -> None:
    assert describe_distance(timedelta(days=12)) == "in 12 d"
    assert describe_distance(timedelta(seconds=-5)) == "5 s ago"
    assert describe_distance(timedelta(0)) == "now"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, ""), (0.24, "240 ms"), (2.4, "2.4 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (273600, "3 d 4 h")],
)
def test_duration_has_the_two_units_that_matter(seconds: float, text: str) -> None:
    assert describe_duration(seconds) == text


@pytest.mark.parametrize("seconds", [1e12, 1e308, float("inf")])
def test_duration_beyond_the_calendar_is_said_to_be_that(seconds: float) -> None:
    assert describe_duration(seconds) == "more than 9,999 years"
