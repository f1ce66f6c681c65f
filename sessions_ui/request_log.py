"""One line in the log for each request, by route."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from sessions_ui.json_log import route_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

logger = logging.getLogger("sessions_ui.request")
# Asked every few seconds by machines: they would drown what people did.
PROBES = ("healthz", "readyz")


class RequestLogMiddleware:
    """Logs route, method, status and duration of each request, never its path or query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        response = self.get_response(request)
        route = route_of(request)
        level = logging.DEBUG if route in PROBES and response.status_code == 200 else logging.INFO
        logger.log(
            level,
            "request",
            extra={
                "route": route,
                "method": request.method,
                "status_code": response.status_code,
                "duration_ms": round((time.perf_counter() - begun) * 1000, 1),
            },
        )
        return response
