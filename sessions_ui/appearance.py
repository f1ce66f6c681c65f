"""How pages look in one browser: its colours and its time zone, kept in two cookies that say nothing about a person."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.utils import timezone

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

THEMES: Final = {"system": "As the device", "light": "Light", "dark": "Dark"}
THEME_COOKIE: Final = "statecore_theme"
ZONE_COOKIE: Final = "statecore_zone"
_KEPT: Final = timedelta(days=365)


def theme_of(request: HttpRequest) -> str:
    """Return the browser's choice of colours."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the browser's choice of time zone; UTC if it has none that is known here."""
    name = request.COOKIES.get(ZONE_COOKIE, "UTC")
    try:
        return UTC if name == "UTC" else zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def remember(response: HttpResponseBase, *, theme: str, zone: str) -> None:
    """Keep the choices in the browser."""
    for name, value in ((THEME_COOKIE, theme), (ZONE_COOKIE, zone)):
        response.set_cookie(
            name, value, max_age=_KEPT, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax"
        )


class AppearanceMiddleware:
    """Activates the browser's time zone for the request, and gives templates its colours: no flash, no script."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.theme = theme_of(request)  # type: ignore[attr-defined] # for templates alone
        with timezone.override(zone_of(request)):
            return self.get_response(request)
