"""Apps and users: who they are, and the current values of their shared keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db.models import JSONField, OuterRef, Subquery
from django.db.models.functions import JSONObject

from sessions_ui.presenters.records import ABSENT, KeyRecord
from sessions_ui.selectors.timeline import VALUE_BYTES, column_size, held, text_up_to
from statecore.core.delta import ChangeKind
from statecore.core.scopes import Scope
from statecore.models import Owner, State, StateChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

KEY_LIMIT: Final = 200


def find_owner(owner_ref: int, *, is_user: bool) -> Owner | None:
    """Return the app or user with this numeric id, None if there is none of that kind."""
    return Owner.objects.at(owner_ref).filter(user_id__isnull=not is_user).first()


def find_app(app_name: str) -> Owner | None:
    """Return the app with this name."""
    return Owner.objects.named(app_name).first()


def list_owner_keys(owner: Owner, *, after: str | None = None) -> Sequence[KeyRecord]:
    """Return the keys of an app or user by name, one more than KEY_LIMIT, each with its newest value or its size."""
    newest = (
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
            )
        )
        .values("pack")[:1]
    )
    rows = (
        _keys_after(owner, after)
        .annotate(pack=Subquery(newest, output_field=JSONField()))
        .order_by("key")
        .values_list("key", "pack")[: KEY_LIMIT + 1]
    )
    scope = Scope.APP if owner.user_id is None else Scope.USER
    records = []
    for key, pack in rows:
        if pack is None:
            records.append(KeyRecord(scope, key, ABSENT, 0, 0, ChangeKind.EVENT))
            continue
        records.append(
            KeyRecord(
                scope=scope,
                name=key,
                held=held(pack["text"], pack["size"]),
                position=pack["position"],
                seq=pack["seq"],
                kind=ChangeKind(pack["kind"]),
                session_ref=pack["session"],
                session_name="",
            )
        )
    return records


def _keys_after(owner: Owner, after: str | None) -> QuerySet[State]:
    keys = State.objects.filter(owner_ref=owner.id, slot=owner.slot)
    return keys if after is None else keys.filter(key__gt=after)  # the empty name is a name too
