from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import BadRequest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from sessions_ui.paging import Cursor, Place, describe_count

MOMENTS = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(9999, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@given(MOMENTS, MOMENTS, st.integers(0, 2**63 - 1))
def test_place_comes_back_as_it_was(active_at: datetime, receive_time: datetime, number: int) -> None:
    place = Place(active_at, receive_time, number)
    assert Place.decode(place.encode()) == place


@given(st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode()))
def test_text_that_is_no_place_is_a_bad_request_or_a_place(text: str) -> None:
    try:
        place = Place.decode(text)
    except BadRequest:
        return
    assert Place.decode(place.encode()) == place


@pytest.mark.parametrize("text", ["x", "AAAA", "ä", "A" * 5000, base64.urlsafe_b64encode(b"\x7f" * 24).decode()])
def test_broken_place_says_what_to_do(text: str) -> None:
    with pytest.raises(BadRequest, match="go back to the first page"):
        Place.decode(text)


def test_cursor_is_first_page_older_or_newer() -> None:
    place = Place(datetime(2026, 12, 1, tzinfo=UTC), datetime(2026, 12, 1, 0, 0, 9, 7, tzinfo=UTC), 4096)
    get = RequestFactory().get
    assert Cursor.of(get("/")) == Cursor()
    assert Cursor.of(get("/", {"before": place.encode()})) == Cursor(place)
    assert Cursor.of(get("/", {"after": place.encode()})) == Cursor(place, is_newer=True)


def test_place_is_exact_to_the_microsecond() -> None:
    earlier = datetime(2026, 12, 1, 12, 0, 0, 1, tzinfo=UTC)
    later = earlier + timedelta(microseconds=1)
    assert Place(earlier, earlier, 1).encode() != Place(earlier, later, 1).encode()


@pytest.mark.parametrize(
    ("shown", "count", "text"),
    [
        (0, 0, "0 of 0 sessions"),
        (1, 1, "1 of 1 session"),
        (50, 1204, "50 of 1,204 sessions"),
        (50, 10_000, "50 of 10,000 sessions"),
        (50, 10_001, "50 of more than 10,000 sessions"),
    ],
)
def test_count_is_exact_up_to_ten_thousand(shown: int, count: int, text: str) -> None:
    assert describe_count(shown, count, "session") == text
