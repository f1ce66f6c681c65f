"""Times as people read them: absolute first, with the zone; the distance from now second.

A client's timestamp is any number of seconds; what the calendar cannot hold is shown as the number it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from statecore.core.jsontext import dump_json

_STEPS = ((86_400 * 365, "y"), (86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_CALENDAR = timedelta(days=9999 * 365)


@dataclass(frozen=True, slots=True)
class Instant:
    """``text`` is for reading, ``iso`` for machines and copies ("" where no calendar holds the time)."""

    text: str
    iso: str = ""
    relative: str = ""
    clock: str = ""


def present_time(moment: datetime | float, *, now: datetime, zone: tzinfo = UTC) -> Instant:
    """Return an aware time, or a client's number of seconds since 1970, in ``zone``."""
    if isinstance(moment, datetime):
        known: datetime | None = moment
    else:
        known = as_datetime(moment)
    if known is None:
        return Instant(f"{dump_json(moment)} s since 1970", clock=dump_json(moment))
    try:
        local = known.astimezone(zone)
    except OverflowError:  # the first or last hours of the calendar in another zone
        local = known
    name = local.tzname() or "UTC"
    return Instant(
        text=f"{local.day} {local:%b} {local.year:04d} {local:%H:%M:%S} {name}",
        iso=known.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        relative=describe_distance(known - now),
        clock=f"{local:%H:%M:%S}",
    )


def as_datetime(seconds: float) -> datetime | None:
    """Return the UTC time of a number of seconds since 1970, None outside the years 1 to 9999."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=float(seconds))
    except (OverflowError, ValueError):
        return None


def describe_distance(distance: timedelta) -> str:
    """Return ``in 12 d`` or ``2 min ago``."""
    seconds = distance.total_seconds()
    size = abs(seconds)
    for length, unit in _STEPS:
        if size >= length:
            amount = f"{int(size // length):,} {unit}"
            return f"in {amount}" if seconds > 0 else f"{amount} ago"
    return "now"


def describe_duration(seconds: float) -> str:
    """Return ``240 ms``, ``2.4 s``, ``3 min 20 s``, ``2 h 5 min`` or ``3 d 4 h``; "" for a negative one.

    Of clients' clocks anything can come: one longer than the calendar, even infinite, is said to be that.
    """
    if seconds < 0:
        return ""
    if seconds > _CALENDAR.total_seconds():
        return "more than 9,999 years"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86_400:,} d {whole % 86_400 // 3600} h"
