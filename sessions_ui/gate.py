"""The gate: a page is for people who are signed in and active, unless it says otherwise."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpResponse
from django.shortcuts import resolve_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase


class LoginGateMiddleware(LoginRequiredMiddleware):
    """Sends strangers to the login page; a fragment takes the page that it is on there."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., Any], view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        """Ask who is there only where it matters: the other pages work while the database is away."""
        if not getattr(view_func, "login_required", True):
            return None
        if request.headers.get("HX-Request") and not request.user.is_authenticated:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED, headers={"HX-Redirect": _login_from(request)})
        return super().process_view(request, view_func, view_args, view_kwargs)


def _login_from(request: HttpRequest) -> str:
    """Return the address of the login page that leads back to the page on which htmx asked."""
    try:
        page = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:  # no browser's address
        page = urlsplit("/")
    address = f"{page.path}?{page.query}" if page.query else page.path
    return f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': address if address.startswith('/') else '/'})}"
