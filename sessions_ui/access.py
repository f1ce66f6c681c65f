"""The one place that decides what a person may see and do.

A grant gives rights in one app or in all. Without a grant an app and everything in it look unknown; with one, a refused
act names the right that is missing. Django's superuser flag gives nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404

from sessions_ui import wiring
from sessions_ui.models import ALL_APPS
from sessions_ui.selectors.grants import find_granters, find_grants
from statecore.core.actors import Actor
from statecore.core.ids import OwnerKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.contrib.auth.models import AnonymousUser

__all__ = [
    "ALL_APPS",
    "RIGHTS",
    "ROLES",
    "MissingRightError",
    "Reach",
    "expand",
    "grants_of",
    "require",
    "visible_apps",
]

RIGHTS: Final = (
    "read", "reveal", "create", "append", "edit_session", "edit_user", "edit_app", "delete", "hold", "export", "import",
    "manage",
)  # fmt: skip
_SETS: Final = {"edit": frozenset({"edit_session", "edit_user", "edit_app"}), "all": frozenset(RIGHTS)}
ROLES: Final[Mapping[str, frozenset[str]]] = {
    "viewer": frozenset({"read"}),
    "editor": frozenset({"read", "reveal", "edit_session", "edit_user", "hold", "export"}),
    "admin": frozenset({"all"}),
}
"""Ready sets of rights, for people who do not want to choose."""


class MissingRightError(PermissionDenied):
    """A person with a grant in the app lacks one right. ``granters`` are the usernames of those who can give it."""

    def __init__(self, *, right: str, app_name: str, granters: tuple[str, ...]) -> None:
        super().__init__(f"the right {right!r} is missing")
        self.right = right
        self.app_name = app_name
        self.granters = granters


@dataclass(frozen=True, slots=True)
class Reach:
    """The apps that a person may read: all of them, or those named."""

    is_everywhere: bool
    app_names: frozenset[str]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is within reach."""
        return not self.is_everywhere and not self.app_names


def expand(rights: Iterable[str]) -> frozenset[str]:
    """Return the single rights that ``rights`` stand for; names that no longer exist give nothing."""
    found: set[str] = set()
    for right in rights:
        found |= _SETS.get(right, {right})
    return frozenset(found & set(RIGHTS))


def visible_apps(user: User | AnonymousUser) -> Reach:
    """Return the apps that ``user`` may read."""
    readable = {app_name for app_name, rights in grants_of(user).items() if "read" in rights}
    return Reach(ALL_APPS in readable, frozenset(readable - {ALL_APPS}))


def require(
    user: User | AnonymousUser,
    right: str,
    app_name: str,
    *,
    user_id: str | None = None,
    session_id: int | None = None,
) -> None:
    """Return if ``user`` has ``right`` in the app; else record the denial and raise.

    Http404 without any grant in the app, as for what does not exist; MissingRightError with one. ``user_id`` and
    the numeric ``session_id`` say in the record what was asked for.
    """
    grants = grants_of(user)
    held = grants.get(ALL_APPS, frozenset()) | grants.get(app_name, frozenset())
    if right in held:
        return
    wiring.service().record_denial(
        actor=Actor.operator(user.get_username()),
        right=right,
        owner=OwnerKey(app_name, user_id),
        session_id=session_id,
        origin="page",
    )
    if not held:
        raise Http404
    raise MissingRightError(right=right, app_name=app_name, granters=_granters(app_name))


def grants_of(user: User | AnonymousUser) -> dict[str, frozenset[str]]:
    """Return the single rights of ``user`` by app name, ALL_APPS among them."""
    if not isinstance(user, User) or not user.is_active:
        return {}
    return {app_name: expand(rights) for app_name, rights in find_grants(user.pk)}


def _granters(app_name: str) -> tuple[str, ...]:
    found = find_granters(app_name, ALL_APPS)
    return tuple(sorted({username for username, rights in found if "manage" in expand(rights)}))
