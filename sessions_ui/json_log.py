"""Logs as one JSON object a line, without personal data.

Paths, query strings and values of users never get in: a request is named by its route. A record of an
exception, or of a library that puts people's names into its messages, keeps the message's template without
its arguments. Of an exception the class and the places are kept; its text may quote a row.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest

# These put names, addresses or paths of people into their messages.
TEMPLATE_ONLY = (
    "axes",
    "celery.app.trace",
    "django.db.backends",
    "django.request",
    "django.security",
    "django.template",
)
FIELDS = ("route", "method", "status_code", "duration_ms")


class JsonFormatter(logging.Formatter):
    """A record as JSON: time, level, logger, message, and what is known of request, task and exception."""

    def format(self, record: logging.LogRecord) -> str:
        is_plain = record.exc_info is None and not record.name.startswith(TEMPLATE_ONLY)
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage() if is_plain else str(record.msg),
        }
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            entry["route"] = route_of(request)
        entry |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        task = getattr(record, "data", None)
        if isinstance(task, dict) and "name" in task:
            entry["task"] = task["name"]
        if record.exc_info and record.exc_info[0]:
            entry["exception"] = record.exc_info[0].__name__
            entry["at"] = [
                f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(record.exc_info[2])
            ]
        return json.dumps(entry, ensure_ascii=False, default=str)


def route_of(request: HttpRequest) -> str:
    """The pattern that the request's path matched, or "unmatched"."""
    match = request.resolver_match
    return match.route or "/" if match else "unmatched"


def logging_config(level: str) -> dict[str, Any]:
    """The configuration for ``logging``: everything goes to standard error, as JSON."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "sessions_ui.json_log.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Its own handlers would print beside ours, and mail stack traces to administrators.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
            # Warns, with each connection, that a broker made of files has no host name.
            "kombu.connection": {"level": "ERROR"},
            "gunicorn.error": {"handlers": [], "level": level, "propagate": True},
        },
    }
