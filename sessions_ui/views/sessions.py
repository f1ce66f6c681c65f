"""The sessions list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sessions_ui.access import grants_of
from sessions_ui.forms import SessionFilterForm
from sessions_ui.paging import Cursor, count_text
from sessions_ui.presenters.session_rows import present_sessions
from sessions_ui.selectors.sessions import Filters, SessionPage, list_sessions
from sessions_ui.views.fragments import seal

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.access import Grants
    from sessions_ui.views.fragments import HtmxRequest


@login_required
@require_safe
def sessions(request: HtmxRequest) -> HttpResponse:
    """Show the live sessions that the caller may read, narrowed by app, user and the beginning of an id."""
    form = SessionFilterForm(request.GET)
    filters = Filters()
    if form.is_valid():
        filters = Filters(form.cleaned_data["app"], form.cleaned_data["user"], form.cleaned_data["id"])
    grants = grants_of(request.user)
    page = list_sessions(grants, filters, Cursor.of(request))
    context = {"form": form, **list_context(page, filters, address="/"), "empty": _empty(grants, filters, page)}
    return seal(render(request, "sessions/_list.html" if request.htmx else "sessions/list.html", context))


def list_context(page: SessionPage, filters: Filters, *, address: str) -> dict[str, Any]:
    """Return what ``sessions/_list.html`` needs."""
    given = filters.given()
    return {
        "rows": present_sessions(page.rows, now=timezone.now(), zone=timezone.get_current_timezone()),
        "count": count_text(len(page.rows), page.count, "session"),
        "address": address,
        "first_url": f"{address}?{urlencode(given)}" if given else address,
        "older_url": f"{address}?{urlencode({**given, 'after': page.older.encode()})}" if page.older else "",
        "newer_url": f"{address}?{urlencode({**given, 'before': page.newer.encode()})}" if page.newer else "",
    }


def _empty(grants: Grants, filters: Filters, page: SessionPage) -> dict[str, Any]:
    """Return why a list is empty, and what to do next; with several filters, which one leaves nothing."""
    if page.rows or page.count:
        return {}
    if not grants.sees_all_apps and not grants.readable_apps():
        return {"reason": "no-grant"}
    given = filters.given()
    if not given:
        return {"reason": "nothing"}
    without = [
        {"name": name, "url": "/?" + urlencode({other: value for other, value in given.items() if other != name})}
        for name in given
        if list_sessions(grants, _without(filters, name), Cursor(), size=1).count
    ]
    return {"reason": "no-match", "without": without}


def _without(filters: Filters, name: str) -> Filters:
    return Filters(
        app="" if name == "app" else filters.app,
        user="" if name == "user" else filters.user,
        id_prefix="" if name == "id" else filters.id_prefix,
    )
