"""Is the process alive, and can it serve? Asked by machines, answered in JSON, without login."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_not_required
from django.db.utils import DatabaseError, InterfaceError
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from sessions_ui.schema import SchemaTooNewError, pending_migrations

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@login_not_required
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; it asks nothing else, so that no outage elsewhere restarts it."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers and has exactly this code's migrations, else 503 with the reason."""
    try:
        pending = pending_migrations()
    except SchemaTooNewError:
        return _not_ready("schema is newer than the code")
    except (DatabaseError, InterfaceError):
        return _not_ready("database cannot be used")
    if pending:
        return _not_ready("migrations are pending")
    return JsonResponse({"status": "ok"})


def _not_ready(reason: str) -> HttpResponse:
    return JsonResponse({"status": "unavailable", "reason": reason}, status=503, headers={"Retry-After": "5"})
