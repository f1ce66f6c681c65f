from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any

from django.test import RequestFactory
from django.urls import resolve

from sessions_ui.json_log import JsonFormatter

if TYPE_CHECKING:
    import pytest
    from django.test import Client


def logged(name: str, message: str, *args: Any, is_error: bool = False, **extra: Any) -> dict[str, Any]:
    record = logging.LogRecord(name, logging.INFO, "", 0, message, args, sys.exc_info() if is_error else None)
    record.__dict__.update(extra)
    found: dict[str, Any] = json.loads(JsonFormatter().format(record))
    return found


def test_a_record_is_one_line_of_json() -> None:
    entry = logged("statecore.jobs", "swept %d\nsessions", 3)
    assert entry.pop("time").endswith("+00:00")
    assert entry == {"level": "info", "logger": "statecore.jobs", "message": "swept 3\nsessions"}


def test_an_exception_is_named_without_what_it_says() -> None:
    try:
        raise ValueError("ana@example.com")
    except ValueError:
        entry = logged("statecore.jobs", "failed for %s", "ana@example.com", is_error=True)
    assert entry["exception"] == "ValueError"
    assert entry["message"] == "failed for %s"
    assert "test_json_log.py" in entry["at"][0]
    assert "ana@example.com" not in json.dumps(entry)


def test_a_failed_login_is_logged_without_the_name() -> None:
    assert "kim" not in json.dumps(logged("axes.signals", "login failure by %s", "kim"))


def test_a_request_is_logged_by_route() -> None:
    request = RequestFactory().get("/healthz?user=ana")
    assert logged("django.request", "%s: %s", "Not Found", request.path, request=request)["route"] == "unmatched"
    request.resolver_match = resolve("/healthz")
    entry = logged("django.request", "%s: %s", "Not Found", request.path, request=request, status_code=404)
    assert (entry["route"], entry["status_code"], entry["message"]) == ("healthz", 404, "%s: %s")
    assert "ana" not in json.dumps(entry)


def test_a_task_is_logged_by_name() -> None:
    entry = logged("celery.app.trace", "Task %(name)s: %(exc)s", data={"name": "sweep", "args": "('ana',)"})
    assert entry["task"] == "sweep"
    assert "ana" not in json.dumps(entry)


def test_each_request_is_logged_with_route_status_and_duration(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "sessions_ui.request")
    client.get("/no/such/person@example.com?token=1")
    entry = json.loads(
        JsonFormatter().format(next(record for record in caplog.records if record.name == "sessions_ui.request"))
    )
    assert (entry["route"], entry["method"], entry["status_code"]) == ("unmatched", "GET", 404)
    assert entry["duration_ms"] >= 0
    assert "person" not in json.dumps(entry)


def test_probes_that_succeed_are_not_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sessions_ui.request")
    client.get("/healthz")
    assert [record.name for record in caplog.records if record.name == "sessions_ui.request"] == []
