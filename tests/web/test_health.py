from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError

from sessions_ui.schema import SchemaTooNewError, refuse_newer_schema

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings


def test_healthz_answers_without_a_database(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_readyz_is_ok_when_database_and_code_agree(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_readyz_is_unavailable_while_migrations_are_pending(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, "migrations are pending")


@pytest.mark.django_db
def test_readyz_is_unavailable_when_the_schema_is_newer(client: Client) -> None:
    MigrationRecorder(connection).record_applied("sessions", "9999_from_the_future")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, "schema is newer than the code")
    assert answer["Retry-After"] == "5"


@pytest.mark.django_db
def test_readyz_ignores_the_migrations_of_apps_that_are_not_ours(client: Client) -> None:
    MigrationRecorder(connection).record_applied("somebody_elses_app", "0001_initial")
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_a_connection_to_a_newer_schema_is_refused_and_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    MigrationRecorder(connection).record_applied("sessions", "9999_from_the_future")
    closed: list[bool] = []
    monkeypatch.setattr(connection, "close", lambda: closed.append(True))
    with pytest.raises(SchemaTooNewError, match=r"sessions\.9999_from_the_future is unknown here"):
        refuse_newer_schema(connection)
    assert closed


def test_readyz_is_unavailable_when_the_database_is_away(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "ensure_connection", refuse)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["reason"]) == (503, "database cannot be used")


def test_a_page_is_unavailable_when_the_database_is_away(client: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.web.failing_urls"
    client.raise_request_exception = False
    answer = client.get("/away")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "Nothing is lost" in answer.content.decode()


def test_a_page_that_fails_is_an_error_with_a_next_step(client: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.web.failing_urls"
    client.raise_request_exception = False
    answer = client.get("/broken")
    assert answer.status_code == 500
    assert 'href="/"' in answer.content.decode()
