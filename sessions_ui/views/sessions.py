"""The sessions list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sessions_ui import access
from sessions_ui.forms import SessionFilterForm
from sessions_ui.paging import Cursor, describe_count
from sessions_ui.presenters.session_rows import present_sessions
from sessions_ui.presenters.visible_text import one_line
from sessions_ui.selectors.sessions import Filters, SessionPage, has_sessions, list_sessions
from sessions_ui.views.fragments import seal

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.access import Reach
    from sessions_ui.views.fragments import HtmxRequest

_WORDS = {"app": "app", "user": "user", "id": "id that begins with"}
_SHOWN_FILTER = 60


@require_safe
def sessions(request: HtmxRequest) -> HttpResponse:
    """Show the live sessions that the caller may read, narrowed by app, user and the beginning of an id."""
    form = SessionFilterForm(request.GET)
    # Not the form's cleaned data: what no id can be finds nothing, rather than being left out.
    filters = Filters(**{name: request.GET.get(name, "") for name in form.fields})
    reach = access.visible_apps(request.user)
    page = list_sessions(reach, filters, Cursor.of(request))
    context = {
        "form": form,
        **list_context(page, filters, address=request.path),
        "empty": _explain_empty(reach, filters, page, address=request.path),
    }
    return seal(render(request, "sessions/_list.html" if request.htmx else "sessions/list.html", context))


def list_context(page: SessionPage, filters: Filters, *, address: str) -> dict[str, Any]:
    """Return what ``sessions/_list.html`` needs; ``address`` is that of the page the list is on."""
    given = filters.given()

    def url(**more: str) -> str:
        query = urlencode({**given, **more})
        return f"{address}?{query}" if query else address

    return {
        "rows": present_sessions(page.records, now=timezone.now(), zone=timezone.get_current_timezone()),
        "count": describe_count(len(page.records), page.count, "session"),
        "first_url": url(),
        "older_url": url(before=page.older.encode()) if page.older else "",
        "newer_url": url(after=page.newer.encode()) if page.newer else "",
    }


def _explain_empty(reach: Reach, filters: Filters, page: SessionPage, *, address: str) -> dict[str, Any] | None:
    """Return why there is no row at all, and what to do; of several filters, those without which there are some."""
    if page.count:
        return None
    if reach.is_empty:
        return {"reason": "no-grant"}
    given = filters.given()
    if not given:
        return {"reason": "nothing"}
    clauses = {name: f"{_WORDS[name]} “{one_line(value, limit=_SHOWN_FILTER)}”" for name, value in given.items()}
    ways_out = [
        {"clause": clauses[name], "url": f"{address}?{urlencode(filters.without(name).given())}"}
        for name in given
        if len(given) > 1 and has_sessions(reach, filters.without(name))
    ]
    return {"reason": "no-match", "clauses": list(clauses.values()), "ways_out": ways_out, "all_url": address}
