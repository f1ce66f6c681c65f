"""Gunicorn's configuration, for `gunicorn -c python:sessions_ui.webserver`."""

from __future__ import annotations

import os

from django.conf import settings

from sessions_ui.startup import read_settings

read_settings()

wsgi_app = "sessions_ui.wsgi"
bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
worker_class = "gthread"
# Threads live long and keep their database connections.
workers = int(os.environ.get("WEB_WORKERS", "2"))
threads = int(os.environ.get("WEB_THREADS", "8"))
timeout = 60
graceful_timeout = 10
keepalive = 30
max_requests = 50_000
max_requests_jitter = 5_000
# Requests are logged by route in sessions_ui.request_log; gunicorn knows only paths, which are personal data.
accesslog = None
logconfig_dict = settings.LOGGING
control_socket_disable = True
proc_name = "statecore"
