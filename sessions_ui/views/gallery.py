"""Every kind of part and field on one page: for looking at, and for tests to walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sessions_ui.presenters import gallery
from sessions_ui.presenters.gallery_rows import present_timeline_example
from sessions_ui.views.fragments import seal

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
@login_required
def gallery_page(request: HttpRequest) -> HttpResponse:
    """Show one rendered example of each name of the session JSON contract. Nothing on it is anybody's data."""
    context = {
        "parts": gallery.present_part_examples(),
        "actions": gallery.present_action_examples(),
        "fields": gallery.present_event_examples(),
        "groups": present_timeline_example(),
    }
    return seal(render(request, "session/gallery.html", context))
