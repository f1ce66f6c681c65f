"""What a person sees when a page could not be made."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from django.db.utils import InterfaceError, OperationalError
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import requires_csrf_token

if TYPE_CHECKING:
    from django.http import HttpRequest


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """503 and when to try again if the database is away, whoever noticed it; else 500.

    As the handler of the last resort it also serves what middleware raises. Its templates get no context, for
    reading the person's name may be what failed.
    """
    if isinstance(sys.exc_info()[1], InterfaceError | OperationalError):
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})
    return HttpResponse(render_to_string("500.html"), status=500)
