"""The session page: header, timeline, state as of one event; and one state value in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sessions_ui.presenters.deltas import written_keys
from sessions_ui.presenters.density_strip import bucket_size, present_strip
from sessions_ui.presenters.event_page import EventPage, choose_events
from sessions_ui.presenters.state_panel import present_state
from sessions_ui.presenters.timeline import MAX_DELTA_ROWS, present_timeline
from sessions_ui.selectors.state import KEY_PAGE, list_state
from sessions_ui.selectors.timeline import PAGE_SIZE, list_changes, list_events, list_page
from sessions_ui.views.fragments import seal
from sessions_ui.views.opened_session import Opened, key_after, number, open_session

if TYPE_CHECKING:
    from django.http import HttpResponse

    from sessions_ui.presenters.records import FlaggedBucket, KeyRecord
    from sessions_ui.views.fragments import HtmxRequest

_FRAGMENTS = {"timeline": "session/_timeline.html", "state": "session/_state.html"}


@require_safe
def session_page(request: HtmxRequest, session_ref: int) -> HttpResponse:
    """Show a session as of event ``at`` (now, without it), with the events around it or beside a cursor."""
    at = number(request, "at")
    opened = open_session(request, session_ref, at=at)
    page = choose_events(
        opened.revision, size=PAGE_SIZE, at=at, before=number(request, "before"), after=number(request, "after")
    )
    if at is not None and at > opened.revision:
        raise Http404
    fragment = _FRAGMENTS.get(request.htmx.target or "") if request.htmx else None
    context: dict[str, Any] = {"page": page, "session_ref": session_ref, "base": opened.base}
    keys = _keys(opened, page, key_after(request)) if fragment != _FRAGMENTS["timeline"] else []
    context["header"] = opened.header(keys)
    if fragment != _FRAGMENTS["timeline"]:
        context["sections"] = _sections(opened, page, keys)
    if fragment != _FRAGMENTS["state"]:
        context |= _timeline(opened, page)
    return seal(render(request, fragment or "session/session.html", context))


def _keys(opened: Opened, page: EventPage, after_key: str | None) -> list[KeyRecord]:
    return list_state(opened.owned, seq=page.seq, is_now=page.selected is None, after_key=after_key)


def _sections(opened: Opened, page: EventPage, keys: list[KeyRecord]) -> list[Any]:
    return present_state(
        keys,
        session_ref=opened.ref,
        seq=page.selected,
        event_gid=opened.owned.at_gid,
        page_size=KEY_PAGE,
        rules=opened.reading.rules,
    )


def _timeline(opened: Opened, page: EventPage) -> dict[str, Any]:
    session = opened.owned.session
    flagged: list[FlaggedBucket] = []
    if session.error_count or session.edit_count:
        size = bucket_size(session.revision)
        records, flagged = list_page(opened.ref, page.first, page.last, bucket_size=size)
    else:
        records = list_events(opened.ref, page.first, page.last)
    keys = written_keys(records, first=page.first, last=page.last, limit=MAX_DELTA_ROWS)
    groups = present_timeline(
        records,
        list_changes(opened.owned, records, keys, first=page.first, last=page.last),
        first=page.first,
        last=page.last,
        revision=opened.revision,
        selected=page.selected,
        reading=replace(opened.reading, marks_imports=not opened.owned.is_all_imported),
    )
    strip = present_strip(
        flagged,
        revision=session.revision,
        first=page.first,
        last=page.last,
        error_count=session.error_count,
        edit_count=session.edit_count,
    )
    return {"groups": groups, "strip": strip}
