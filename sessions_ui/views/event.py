"""One event: everything it holds, its raw JSON, a branch of it, and the bytes it carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sessions_ui.presenters.deltas import written_keys
from sessions_ui.presenters.event_detail import MAX_DELTA_ROWS, find_media, present_detail
from sessions_ui.presenters.json_branch import present_branch
from sessions_ui.presenters.json_text import indent_json
from sessions_ui.presenters.visible_text import visible_json
from sessions_ui.selectors.timeline import get_event, list_changes, list_events
from sessions_ui.views.fragments import seal
from sessions_ui.views.opened_session import Opened, number, open_session
from statecore.core.jsontext import dump_json, load_json
from statecore.core.masking import mask_event

if TYPE_CHECKING:
    from sessions_ui.presenters.records import EventRecord
    from sessions_ui.views.fragments import HtmxRequest


@require_safe
def event_page(request: HtmxRequest, session_ref: int, seq: int) -> HttpResponse:
    """Show one event in full."""
    opened, record = _open(request, session_ref, seq)
    neighbours = [each for each in list_events(session_ref, seq, seq) if each.seq != seq]
    records = sorted([*neighbours, record], key=lambda each: each.seq)
    keys = written_keys(records, first=seq, last=seq, limit=MAX_DELTA_ROWS)
    changes = list_changes(opened.owned, records, keys, first=seq, last=seq)
    detail = present_detail(records, changes, seq=seq, revision=opened.revision, reading=opened.reading)
    context = {
        "header": opened.header(),
        "session_ref": session_ref,
        "base": opened.base,
        "detail": detail,
        "branch_url": _branch_url(opened, seq),
    }
    template = "session/_event.html" if request.htmx else "session/event.html"
    return seal(render(request, template, context))


@require_safe
def event_json(request: HtmxRequest, session_ref: int, seq: int) -> HttpResponse:
    """Return the event as masked JSON, to save or to copy."""
    opened, record = _open(request, session_ref, seq)
    text = visible_json(indent_json(dump_json(_masked(opened, record))))
    return seal(HttpResponse(text, content_type="application/json; charset=utf-8"))


@require_safe
def event_branch(request: HtmxRequest, session_ref: int, seq: int) -> HttpResponse:
    """Show the part of an event that ``pointer`` names, from child number ``start`` on."""
    opened, record = _open(request, session_ref, seq)
    branch = _find_branch(request, _masked(opened, record))
    context = {
        "header": opened.header(),
        "session_ref": session_ref,
        "base": opened.base,
        "branch": branch,
        "branch_url": _branch_url(opened, seq),
        "back_url": f"{opened.base}events/{seq}/",
        "back_text": f"Event #{seq}",
    }
    return seal(render(request, "session/_branch.html" if request.htmx else "session/branch.html", context))


@require_safe
def event_part(request: HtmxRequest, session_ref: int, seq: int, part: str) -> HttpResponse:
    """Show the picture that a part carries, or what else it is."""
    opened, record = _open(request, session_ref, seq)
    media = find_media(_payload(record), part)
    if media is None:
        raise Http404
    context = {
        "header": opened.header(),
        "session_ref": session_ref,
        "base": opened.base,
        "seq": seq,
        "part": part,
        "picture": media,
        "data_url": f"{opened.base}events/{seq}/parts/{part}/data",
    }
    return seal(render(request, "session/_picture.html" if request.htmx else "session/picture.html", context))


@require_safe
def event_part_data(request: HtmxRequest, session_ref: int, seq: int, part: str) -> HttpResponse:
    """Return the bytes that a part carries: a picture to show, anything else as a download of no type."""
    _, record = _open(request, session_ref, seq)
    media = find_media(_payload(record), part)
    if media is None or media.data is None:
        raise Http404
    if media.picture_type is not None:
        response = HttpResponse(media.data, content_type=media.picture_type)
    else:
        response = HttpResponse(media.data, content_type="application/octet-stream")
        response["Content-Disposition"] = f'attachment; filename="event-{seq}-part-{part}.bin"'
    response["X-Content-Type-Options"] = "nosniff"
    return seal(response)


def _open(request: HtmxRequest, session_ref: int, seq: int) -> tuple[Opened, EventRecord]:
    opened = open_session(request, session_ref, at=seq)
    record = get_event(session_ref, seq) if seq <= opened.revision else None
    if record is None:
        raise Http404
    return opened, record


def _payload(record: EventRecord) -> Any:
    return load_json(record.payload_json or "null")


def _masked(opened: Opened, record: EventRecord) -> Any:
    return mask_event(_payload(record), opened.reading.rules)


def _find_branch(request: HtmxRequest, value: Any) -> Any:
    try:
        return present_branch(value, pointer=request.GET.get("pointer", ""), start=number(request, "start") or 0)
    except LookupError:
        raise Http404 from None


def _branch_url(opened: Opened, seq: int) -> str:
    return f"{opened.base}events/{seq}/branch?"
