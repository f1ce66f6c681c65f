"""Reads that pages share, as querysets. Every one names its slot, so that a shard can answer alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from statecore.core.ids import slot_of_id

if TYPE_CHECKING:
    from statecore.models import Event, Owner, Session


class OwnerQuerySet(models.QuerySet["Owner"]):
    """Apps and users."""

    def at(self, owner_id: int) -> Self:
        """Return the owner with this numeric id."""
        return self.filter(id=owner_id, slot=slot_of_id(owner_id))

    def apps(self) -> Self:
        """Return the apps alone."""
        return self.filter(user_id=None)


class SessionQuerySet(models.QuerySet["Session"]):
    """Session headers."""

    def at(self, session_ref: int) -> Self:
        """Return the session with this numeric id, expired or not."""
        return self.filter(id=session_ref, slot=slot_of_id(session_ref))

    def live(self) -> Self:
        """Leave out what has expired, by the database's clock, unless a hold keeps it."""
        return self.filter(Q(expire_time__gt=Now()) | Q(hold_until__gt=Now()))


class EventQuerySet(models.QuerySet["Event"]):
    """Events."""

    def of(self, session_ref: int) -> Self:
        """Return the events of one session."""
        return self.filter(session_ref=session_ref, slot=slot_of_id(session_ref))
