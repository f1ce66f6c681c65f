"""What a person sees instead of a page: what happened, and what to do next. Never a traceback."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse

from sessions_ui.access import MissingRightError
from sessions_ui.presenters.visible_text import visible_text
from sessions_ui.views.fragments import seal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest, HttpResponse


class SessionDeletedError(Http404):
    """The session was deleted, and who asks may know; the message is its receipt."""


@dataclass(frozen=True, slots=True)
class Problem:
    """``text`` says what happened, ``step`` what to do, ``url`` and ``link`` where to go."""

    status: int
    title: str
    text: str
    step: str
    url: str = ""
    link: str = ""


def answer(request: HttpRequest, problem: Problem, *, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return a problem as a page; to htmx as the message alone."""
    template = "errors/_problem.html" if request.headers.get("HX-Request") else "errors/problem.html"
    response = render(request, template, {"problem": problem}, status=problem.status)
    for name, value in (headers or {}).items():
        response[name] = value
    return seal(response)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: an address that cannot be meant. The reason is shown where it is our own sentence."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    text = f"The address of this page is not complete or not in order{f': {visible_text(reason)}' if reason else ''}."
    step = "Go back and follow the link again, or begin at the list."
    return answer(request, Problem(400, "This address does not work", text, step, reverse("sessions"), "Sessions"))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: a person with a grant lacks one right; the page names it and those who can give it."""
    if not isinstance(exception, MissingRightError):
        return csrf_failure(request)
    app_name = visible_text(exception.app_name)
    who = ", ".join(visible_text(name) for name in exception.granters)
    step = f"Ask one of those who may manage it: {who}." if who else "Ask whoever runs this dashboard."
    text = f"It takes the right “{exception.right}” in the app “{app_name}”, and your grant does not have it."
    return answer(request, Problem(403, "A right is missing", text, step, reverse("sessions"), "Sessions"))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: unknown, expired or out of reach; they look the same. 410 with the receipt of a deleted session."""
    if isinstance(exception, SessionDeletedError):
        step = "What it wrote for its user and its app is still there, with its history."
        return answer(
            request, Problem(410, "This session is gone", str(exception), step, reverse("sessions"), "Sessions")
        )
    text = "It may have expired or been deleted, or it is in an app that you have no grant for."
    step = "Check the address, or look in the list."
    return answer(request, Problem(404, "There is nothing here", text, step, reverse("sessions"), "Sessions"))


@login_not_required
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: a form that was not ours, or too old."""
    text = "The form was too old, or it did not come from this site. Nothing was changed."
    step = "Load the page again and send the form once more; cookies have to be allowed."
    return answer(request, Problem(403, "The form was not accepted", text, step, reverse("sessions"), "Sessions"))


def locked_out(request: HttpRequest, original_response: HttpResponse, credentials: object) -> HttpResponse:
    """429: too many wrong passwords for one name from one address."""
    pause: timedelta = settings.AXES_COOLOFF_TIME
    text = f"Too many wrong passwords in a row. For {pause // _MINUTE} minutes no password is tried for this name."
    step = "Wait, then try again; whoever runs this dashboard can end the pause with `manage.py axes_reset`."
    problem = Problem(429, "Signing in is paused", text, step, reverse("login"), "Sign in")
    return answer(request, problem, headers={"Retry-After": str(pause // _SECOND)})


_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)
