"""Pages that fail, beside none that work."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from django.contrib.auth.decorators import login_not_required
from django.db.utils import OperationalError
from django.urls import path

if TYPE_CHECKING:
    from django.http import HttpRequest


@login_not_required
def away(request: HttpRequest) -> NoReturn:
    raise OperationalError("connection refused")


@login_not_required
def broken(request: HttpRequest) -> NoReturn:
    raise ValueError("ana@example.com")


urlpatterns = [path("away", away), path("broken", broken)]
handler500 = "sessions_ui.views.outage.server_error"
