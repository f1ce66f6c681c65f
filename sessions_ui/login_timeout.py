"""When a login session ends by itself."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

RENEWED: Final = "renewed"
# A login session is written again after this part of its time, not with every request: that costs three queries.
_SHARE: Final = 1 / 32


class LoginTimeoutMiddleware:
    """Lets a login session end LOGIN_TIMEOUT after its last request, to within a thirty-second part of that."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.session.accessed and response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            renew(request)
        return response


def renew(request: HttpRequest) -> None:
    """Have the login session written again if that was not done for a while."""
    now = int(time.time())
    is_due = not 0 <= now - request.session.get(RENEWED, 0) < settings.SESSION_COOKIE_AGE * _SHARE
    if is_due and request.user.is_authenticated:
        request.session[RENEWED] = now


def note_login(request: HttpRequest, **_: Any) -> None:
    """Remember when the login session was written first. Connected to ``user_logged_in``."""
    request.session[RENEWED] = int(time.time())
