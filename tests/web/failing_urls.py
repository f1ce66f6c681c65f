"""Pages that fail, beside none that work."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from django.db.utils import OperationalError
from django.urls import path

if TYPE_CHECKING:
    from django.http import HttpRequest


def away(request: HttpRequest) -> NoReturn:
    raise OperationalError("connection refused")


def broken(request: HttpRequest) -> NoReturn:
    raise ValueError("ana@example.com")


urlpatterns = [path("away", away), path("broken", broken)]
handler500 = "sessions_ui.views.outage.server_error"
