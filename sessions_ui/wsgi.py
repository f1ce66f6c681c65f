"""The web application, for any WSGI server."""

from __future__ import annotations

from django.core.wsgi import get_wsgi_application

from sessions_ui.startup import read_settings

read_settings()
application = get_wsgi_application()
