"""Apps and users: who they are, and the current values of their shared keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import OuterRef, Subquery

from sessions_ui.selectors.state import KEY_PAGE, key_record, keys_of
from sessions_ui.selectors.timeline import MAX_POSITION
from statecore.core.scopes import Scope
from statecore.models import Owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sessions_ui.presenters.records import KeyRecord


def find_owner(owner_ref: int, *, is_user: bool) -> tuple[Owner, int] | None:
    """Return the app or user with this numeric id and the numeric id of its app; None if there is none of that kind."""
    app = Owner.objects.apps().filter(app_name=OuterRef("app_name")).values("id")[:1]
    owner = Owner.objects.at(owner_ref).filter(user_id__isnull=not is_user).annotate(app_id=Subquery(app)).first()
    return None if owner is None else (owner, vars(owner)["app_id"])


def list_owner_keys(owner: Owner, *, after: str | None = None) -> Sequence[KeyRecord]:
    """Return the keys of an app or user by name, up to one more than KEY_PAGE; ``after`` is the last name seen.

    One probe of the history a key gives its newest value, or that value's size alone where it is big.
    """
    keys = keys_of(owner.id, MAX_POSITION, is_shared=True)
    if after is not None:  # the empty name is a name too
        keys = keys.filter(key__gt=after)
    scope = Scope.APP if owner.user_id is None else Scope.USER
    return [key_record(scope, name, pack) for _, name, pack in keys.order_by("key")[: KEY_PAGE + 1]]
