"""Keyset paging: a cursor says beside which row a page lies, so that new rows make it neither skip nor repeat any."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Self

from django.core.exceptions import BadRequest

if TYPE_CHECKING:
    from django.http import HttpRequest

COUNT_LIMIT: Final = 10_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_LAYOUT: Final = struct.Struct(">qqq")
_BROKEN: Final = "the address of this page of the list is broken; go back to the first page"


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a session in a list of the newest activity. Times are aware and exact to the microsecond."""

    active_at: datetime
    receive_time: datetime
    id: int

    def encode(self) -> str:
        """Return the place as text for an address; it holds times and a number, no names."""
        packed = _LAYOUT.pack(_microseconds(self.active_at), _microseconds(self.receive_time), self.id)
        return base64.urlsafe_b64encode(packed).decode("ascii")

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return the place that :meth:`encode` wrote; anything else is a BadRequest."""
        try:
            packed = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
            active_at, receive_time, number = _LAYOUT.unpack(packed)
            return cls(_EPOCH + active_at * _MICROSECOND, _EPOCH + receive_time * _MICROSECOND, number)
        except (UnicodeEncodeError, binascii.Error, struct.error, OverflowError):
            raise BadRequest(_BROKEN) from None


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page lies: older than a place, newer than it, or (without a place) first."""

    place: Place | None = None
    is_newer: bool = False

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """Read ``before`` (older rows) or ``after`` (newer rows) from the query string."""
        for name, is_newer in (("before", False), ("after", True)):
            text = request.GET.get(name)
            if text:
                return cls(Place.decode(text), is_newer)
        return cls()


def describe_count(shown: int, count: int, noun: str) -> str:
    """Return ``50 of 1,204 sessions``; ``count`` is exact up to COUNT_LIMIT, and above it only known to be more."""
    total = f"more than {COUNT_LIMIT:,}" if count > COUNT_LIMIT else f"{count:,}"
    return f"{shown:,} of {total} {noun}{'' if count == 1 else 's'}"
