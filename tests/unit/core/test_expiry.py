from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidInputError
from statecore.core.expiry import DEFAULT_TTL, MAX_EXPIRE_TIME, check_expiry, is_expired, parse_expire_time, parse_ttl
from tests.unit.core.session_builders import make_session

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("value", "ttl"),
    [
        ("864000s", timedelta(days=10)),
        ("864000", timedelta(days=10)),
        (864000, timedelta(days=10)),
        ("0.5s", timedelta(milliseconds=500)),
        (1.5, timedelta(seconds=1.5)),
        ("999999999999s", timedelta(seconds=999999999999)),
    ],
)
def test_ttl_is_seconds_as_text_or_number(value: str | float, ttl: timedelta) -> None:
    assert parse_ttl(value) == ttl


@pytest.mark.parametrize(
    "value", ["", "s", "10m", "1 s", "-5s", -5, "1e3", 1e20, float("nan"), float("inf"), "٣s", "1.s", "1" * 13, "5s\n"]
)
def test_ttl_in_other_words_is_refused_with_an_example(value: str | float) -> None:
    with pytest.raises(InvalidInputError, match=r"^ttl: must be seconds, such as 864000 or '864000s', not ") as caught:
        parse_ttl(value)
    assert len(caught.value.reason) < 120


@pytest.mark.parametrize("value", [None, True, [5], {"seconds": 5}])
def test_ttl_that_is_neither_text_nor_number_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^default_ttl: must be seconds, such as 864000 or '864000s'$"):
        parse_ttl(value, field="default_ttl")


@pytest.mark.parametrize("value", [0, "0s", 0.0, "0.000000001s"])
def test_ttl_of_no_time_is_refused(value: str | float) -> None:
    with pytest.raises(InvalidInputError, match="ttl: must be longer than zero"):
        parse_ttl(value)


@pytest.mark.parametrize("value", ["2027-01-31T12:00:00Z", "2027-01-31T13:00:00+01:00", "2027-01-31 09:30:00-02:30"])
def test_expire_time_is_read_with_its_offset_and_kept_in_utc(value: str) -> None:
    parsed = parse_expire_time(value)
    assert parsed == datetime(2027, 1, 31, 12, tzinfo=UTC)
    assert parsed.tzinfo is UTC


@pytest.mark.parametrize("value", ["2027-01-31T12:00:00", "2027-01-31"])
def test_expire_time_without_offset_is_refused(value: str) -> None:
    with pytest.raises(InvalidInputError, match=r"^expire_time: must say its offset from UTC"):
        parse_expire_time(value)


@pytest.mark.parametrize("value", ["soon", "", "2027-13-01T00:00:00Z", 1796079885, None, "x" * 1000])
def test_expire_time_that_is_no_time_is_refused_with_an_example(value: Any) -> None:
    with pytest.raises(
        InvalidInputError, match=r"^until: must be an ISO 8601 time such as '2027-01-31T12:00:00Z', not"
    ):
        parse_expire_time(value, field="until")


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00"])
def test_expire_time_beyond_the_calendar_is_refused(value: str) -> None:
    with pytest.raises(InvalidInputError, match="is outside the years 1 to 9999"):
        parse_expire_time(value)


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-23, 23))  # noqa: DTZ001 - st.datetimes takes no others
def test_expire_time_written_by_python_is_read_again(naive: datetime, hours: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert parse_expire_time(moment.isoformat()) == moment


def test_expiry_may_be_left_out_or_given_in_one_way() -> None:
    check_expiry(ttl=None, expire_time=None, now=NOW)
    check_expiry(ttl=SECOND, expire_time=None, now=NOW)
    check_expiry(ttl=None, expire_time=NOW + SECOND, now=NOW)
    check_expiry(ttl=None, expire_time=MAX_EXPIRE_TIME, now=NOW)
    check_expiry(ttl=MAX_EXPIRE_TIME - NOW, expire_time=None, now=NOW)


@pytest.mark.parametrize(
    ("ttl", "expire_time", "message"),
    [
        (SECOND, NOW + SECOND, "ttl: and expire_time are both given; give one of them"),
        (timedelta(0), None, "ttl: must be longer than zero"),
        (-SECOND, None, "ttl: must be longer than zero"),
        (MAX_EXPIRE_TIME - NOW + SECOND, None, "ttl: ends after the year 9999; give a shorter time"),
        (timedelta.max, None, "ttl: ends after the year 9999; give a shorter time"),
        (None, NOW, "expire_time: has passed; give a time ahead"),
        (None, NOW - SECOND, "expire_time: has passed; give a time ahead"),
        (None, MAX_EXPIRE_TIME + SECOND, "expire_time: is after the year 9999"),
        (None, NOW.replace(tzinfo=None), "expire_time: must say its offset from UTC"),
    ],
)
def test_expiry_that_cannot_be_is_refused(ttl: timedelta | None, expire_time: datetime | None, message: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_expiry(ttl=ttl, expire_time=expire_time, now=NOW)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("expires", "held", "expired"),
    [
        (SECOND, None, False),
        (timedelta(0), None, True),
        (-SECOND, None, True),
        (-SECOND, SECOND, False),
        (-SECOND, timedelta(0), True),
        (-SECOND, -2 * SECOND, True),
        (SECOND, -SECOND, False),
    ],
)
def test_session_is_gone_when_its_time_and_its_hold_have_passed(
    expires: timedelta, held: timedelta | None, expired: bool
) -> None:
    session = make_session(expire_time=NOW + expires, hold_until=None if held is None else NOW + held)
    assert is_expired(session, now=NOW) is expired


def test_sessions_live_a_year_unless_told_otherwise() -> None:
    assert timedelta(days=365) == DEFAULT_TTL
