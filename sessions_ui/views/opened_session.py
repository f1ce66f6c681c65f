"""The door of every page about one session: found, live, and visible to who asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from sessions_ui import access
from sessions_ui.presenters.receipt import describe_receipt
from sessions_ui.presenters.session_header import Header, HeaderRecord, present_header
from sessions_ui.presenters.timeline import Reading
from sessions_ui.selectors.receipts import find_receipt
from sessions_ui.selectors.timeline import OwnedSession, find_session
from sessions_ui.views.errors import SessionDeletedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from sessions_ui.presenters.records import KeyRecord


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that the caller may read, and for whom it is shown."""

    owned: OwnedSession
    reading: Reading

    @property
    def ref(self) -> int:
        """The numeric id."""
        return self.owned.session.id

    @property
    def base(self) -> str:
        """The address of the session's page; templates put the addresses of its parts behind it."""
        return reverse("session", args=[self.ref])

    @property
    def revision(self) -> int:
        """The number of events."""
        return self.owned.session.revision

    def header(self, keys: Sequence[KeyRecord] = ()) -> Header:
        """Return what the head of the page shows."""
        session = self.owned.session
        record = HeaderRecord(
            app_name=self.owned.app_name,
            user_id=self.owned.user_id,
            **{name: getattr(session, name) for name in _STORED},
        )
        return present_header(record, keys, now=self.reading.now, zone=self.reading.zone)


_STORED = (
    "id", "session_id", "app_owner_id", "user_owner_id", "display_name", "revision", "error_count", "edit_count",
    "origin", "expire_rule", "create_time", "receive_time", "update_time", "expire_time", "hold_until",
)  # fmt: skip


def open_session(request: HttpRequest, session_ref: int, *, at: int | None = None) -> Opened:
    """Return the session for a caller with the right to read it; unknown and out of reach are the same 404."""
    owned = find_session(session_ref, at=at)
    if owned is None:
        raise _missing(request, session_ref)
    access.require(request.user, "read", owned.app_name, user_id=owned.user_id, session_id=session_ref)
    return Opened(owned, Reading(now=timezone.now(), zone=timezone.get_current_timezone()))


def _missing(request: HttpRequest, session_ref: int) -> Http404:
    """Return what to raise: of a deleted session, its receipt to those who may read its app."""
    receipt = find_receipt(session_ref)
    if receipt is None:
        return Http404()
    access.require(request.user, "read", receipt.app_name, user_id=receipt.user_id, session_id=session_ref)
    return SessionDeletedError(
        describe_receipt(
            delete_time=receipt.delete_time,
            rule=receipt.rule,
            actor=receipt.actor,
            event_count=receipt.event_count,
            now=timezone.now(),
            zone=timezone.get_current_timezone(),
        )
    )


def number(request: HttpRequest, name: str) -> int | None:
    """Return a whole number from the query string, None where it is missing or empty; anything else is a 400."""
    text = request.GET.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise BadRequest(f"{name} must be a whole number")
    return int(text)


def key_after(request: HttpRequest) -> str | None:
    """Return the key (``keys``) after which a list of keys goes on; None without one, a 400 for what no key can be."""
    key = request.GET.get("keys")
    if key is not None and "\0" in key:
        raise BadRequest("keys must be a key of state, such as user:name")
    return key


_MAX_DIGITS = 18
