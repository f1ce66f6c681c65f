"""Keyset paging: a cursor says after or before which row a page begins, so that new rows neither skip nor repeat any."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Self

from django.core.exceptions import BadRequest

if TYPE_CHECKING:
    from django.http import HttpRequest

COUNT_LIMIT: Final = 10_000
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a session in a recency list."""

    active_at: datetime
    receive_time: datetime
    id: int

    def encode(self) -> str:
        """Return the place as text for an address; it holds times and a number, no names."""
        values = [self.active_at.isoformat(), self.receive_time.isoformat(), self.id]
        return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return the place that :meth:`encode` wrote; anything else is a BadRequest."""
        try:
            padded = text + "=" * (-len(text) % 4)
            active_at, receive_time, number = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
            place = cls(datetime.fromisoformat(active_at), datetime.fromisoformat(receive_time), number)
        except (ValueError, TypeError, binascii.Error, RecursionError):
            raise BadRequest("the address of this page of the list is broken; go back to the first page") from None
        is_number = isinstance(number, int) and not isinstance(number, bool) and abs(number) < 2**63
        if not is_number or place.active_at.tzinfo is None or place.receive_time.tzinfo is None:
            raise BadRequest("the address of this page of the list is broken; go back to the first page")
        return place


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: rows after a place (older), before it (newer), or the first page without a place."""

    place: Place | None = None
    is_backward: bool = False

    @classmethod
    def of(cls, request: HttpRequest) -> Self:
        """Read ``after`` or ``before`` from the query string."""
        for name, is_backward in (("after", False), ("before", True)):
            text = request.GET.get(name, "")
            if len(text) > _MAX_LENGTH:
                raise BadRequest("the address of this page of the list is broken; go back to the first page")
            if text:
                return cls(Place.decode(text), is_backward)
        return cls()


def count_text(shown: int, count: int, noun: str) -> str:
    """Return ``50 of 1,204 sessions``; N is exact up to 10,000."""
    total = f"more than {COUNT_LIMIT:,}" if count > COUNT_LIMIT else f"{count:,}"
    return f"{shown:,} of {total} {noun}{'' if count == 1 else 's'}"
