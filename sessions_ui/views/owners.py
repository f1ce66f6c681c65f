"""The pages of an app and of a user: their shared state and their sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from sessions_ui import access
from sessions_ui.paging import Cursor
from sessions_ui.presenters.owner_page import present_owner_state
from sessions_ui.presenters.visible_text import show_id
from sessions_ui.selectors.owners import KEY_LIMIT, find_app, find_owner, list_owner_keys
from sessions_ui.selectors.sessions import Filters, list_sessions
from sessions_ui.views.fragments import seal
from sessions_ui.views.sessions import list_context

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.views.fragments import HtmxRequest


@login_required
@require_safe
def app(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show an app's state and sessions."""
    return _owner_page(request, owner_ref, is_user=False)


@login_required
@require_safe
def user(request: HtmxRequest, owner_ref: int) -> HttpResponse:
    """Show a user's state and sessions."""
    return _owner_page(request, owner_ref, is_user=True)


def _owner_page(request: HtmxRequest, owner_ref: int, *, is_user: bool) -> HttpResponse:
    owner = find_owner(owner_ref, is_user=is_user) if abs(owner_ref) < 2**63 else None
    if owner is None:
        raise Http404
    access.require(request.user, "read", owner.app_name)
    after = request.GET.get("keys")
    if after is not None and "\0" in after:
        raise BadRequest("keys must be the name of a key")
    address = reverse("user" if is_user else "app", args=[owner.id])
    filters = Filters(app=owner.app_name, user=owner.user_id or "")
    page = list_sessions(access.grants_of(request.user), filters, Cursor.of(request))
    listed = list_context(page, Filters(), address=address)
    if request.htmx and request.htmx.target == "sessions":
        return seal(render(request, "sessions/_list.html", listed))
    app_owner = find_app(owner.app_name) if is_user else owner
    context = {
        **listed,
        "owner": owner,
        "kind": "user" if is_user else "app",
        "name": show_id(owner.user_id if owner.user_id is not None else owner.app_name),
        "app": app_owner,
        "section": present_owner_state(list_owner_keys(owner, after=after), page_size=KEY_LIMIT),
    }
    return seal(render(request, "owners/owner.html", context))
