"""Answers that are a page to a browser and the same region alone to htmx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.utils.cache import patch_vary_headers

if TYPE_CHECKING:
    from django.http import HttpResponse
    from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request as the htmx middleware leaves it."""

    htmx: HtmxDetails


def seal(response: HttpResponse) -> HttpResponse:
    """Mark a response as personal data that depends on who asks and how: nobody keeps it."""
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    return response
