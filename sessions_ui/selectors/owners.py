"""Apps and users: who they are, and the current values of their shared keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db.models import JSONField, OuterRef, Subquery, TextField
from django.db.models.functions import JSONObject

from sessions_ui.presenters.records import KeyRecord
from sessions_ui.selectors.timeline import VALUE_BYTES, column_size, held, text_up_to
from statecore.core.delta import ChangeKind
from statecore.core.ids import SLOT_MASK
from statecore.core.scopes import Scope
from statecore.models import Owner, Session, State, StateChange

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_PAGE: Final = 200


def find_owner(owner_ref: int, *, is_user: bool) -> tuple[Owner, int] | None:
    """Return the app or user with this numeric id and the numeric id of its app; None if there is none of that kind."""
    app = Owner.objects.apps().filter(app_name=OuterRef("app_name")).values("id")[:1]
    owner = Owner.objects.at(owner_ref).filter(user_id__isnull=not is_user).annotate(app_id=Subquery(app)).first()
    return None if owner is None else (owner, vars(owner)["app_id"])


def list_owner_keys(owner: Owner, *, after: str | None = None) -> Sequence[KeyRecord]:
    """Return the keys of an app or user by name, up to one more than KEY_PAGE; ``after`` is the last name seen.

    One probe of the history a key gives its newest value, or that value's size alone where it is big.
    """
    keys = State.objects.filter(owner_ref=owner.id, slot=owner.slot)
    if after is not None:  # the empty name is a name too
        keys = keys.filter(key__gt=after)
    rows = (
        keys.annotate(pack=Subquery(_newest_change(), output_field=JSONField()))
        .order_by("key")
        .values_list("key", "pack")[: KEY_PAGE + 1]
    )
    scope = Scope.APP if owner.user_id is None else Scope.USER
    return [_record(scope, name, pack) for name, pack in rows]


def _newest_change() -> Any:
    session_name = (
        Session.objects.live()
        .filter(id=OuterRef("session_ref"), slot=OuterRef("session_ref").bitand(SLOT_MASK))
        .values("session_id")[:1]
    )
    return (
        StateChange.objects.filter(owner_ref=OuterRef("owner_ref"), slot=OuterRef("slot"), key=OuterRef("key"))
        .order_by("-position")
        .annotate(_size=column_size())
        .annotate(
            pack=JSONObject(
                text=text_up_to(VALUE_BYTES),
                size="_size",
                position="position",
                seq="seq",
                kind="kind",
                session="session_ref",
                name=Subquery(session_name, output_field=TextField()),
            )
        )
        .values("pack")[:1]
    )


def _record(scope: Scope, name: str, pack: dict[str, Any]) -> KeyRecord:
    return KeyRecord(
        scope=scope,
        name=name,
        held=held(pack["text"], pack["size"]),
        position=pack["position"],
        seq=pack["seq"],
        kind=ChangeKind(pack["kind"]),
        session_ref=pack["session"],
        session_name=pack["name"] or "",
    )
