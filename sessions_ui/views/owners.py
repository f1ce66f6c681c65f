"""The pages of an app and of a user: their shared state and their sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from sessions_ui import access
from sessions_ui.paging import Cursor
from sessions_ui.presenters.owner_page import present_head, present_shared_state
from sessions_ui.selectors.owners import find_owner, list_owner_keys
from sessions_ui.selectors.sessions import Filters, list_owner_sessions
from sessions_ui.selectors.state import KEY_PAGE
from sessions_ui.views.fragments import seal
from sessions_ui.views.opened_session import key_after
from sessions_ui.views.sessions import list_context
from statecore.core.scopes import Scope, parse_key

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.views.fragments import HtmxRequest


@require_safe
def app(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show an app's state and sessions."""
    return _owner_page(request, owner_ref, Scope.APP)


@require_safe
def user(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show a user's state and sessions."""
    return _owner_page(request, owner_ref, Scope.USER)


def _owner_page(request: HtmxRequest, owner_ref: int, scope: Scope) -> HttpResponse:
    found = find_owner(owner_ref, is_user=scope is Scope.USER)
    if found is None:
        raise Http404
    owner, app_id = found
    access.require(request.user, "read", owner.app_name, user_id=owner.user_id)
    address = reverse(scope.value, args=[owner_ref])
    context = list_context(list_owner_sessions(owner, Cursor.of(request)), Filters(), address=address)
    context |= {"hides_app": True, "hides_user": scope is Scope.USER}
    if request.htmx and request.htmx.target == "sessions":
        return seal(render(request, "sessions/_list.html", context))
    head = present_head(owner_ref=owner_ref, app_name=owner.app_name, user_id=owner.user_id, app_id=app_id)
    keys = list_owner_keys(owner, after=_last_name(request, scope))
    section = present_shared_state(keys, scope=scope, page_size=KEY_PAGE)
    return seal(render(request, "owners/owner.html", {**context, "head": head, "base": address, "section": section}))


def _last_name(request: HtmxRequest, scope: Scope) -> str | None:
    """Return the name after which the keys go on, without its prefix."""
    key = key_after(request)
    if key is None:
        return None
    found, name = parse_key(key)
    if found is not scope:
        raise BadRequest(f"keys must be a key of this {scope}, such as {scope.prefix}name")
    return name
