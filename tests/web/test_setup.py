from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from sessions_ui import access
from sessions_ui.actions import first_admin
from tests.web.page_reading import Page, read

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import Settings

PASSWORD = "correct horse battery"
FIELDS = {"username": "kim", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture(autouse=True)
def fast_hashes(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.mark.django_db
def test_first_visit_leads_to_the_first_login(client: Client) -> None:
    page = read(client.get("/", follow=True))
    assert "Make the first login" in page.text


@pytest.mark.django_db
def test_first_login_gets_every_right_everywhere_and_is_signed_in(client: Client) -> None:
    response = client.post("/setup/", FIELDS)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert client.get("/").status_code == 200
    assert access.grants_of(User.objects.get()) == {access.ALL_APPS: frozenset(access.RIGHTS)}


@pytest.mark.django_db
def test_first_login_is_made_once(client: Client) -> None:
    User.objects.create_user("somebody", is_active=False)
    for response in (client.get("/setup/"), client.post("/setup/", FIELDS)):
        assert response.status_code == 404
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_weak_password_of_the_first_login_is_refused(client: Client) -> None:
    response = client.post("/setup/", {**FIELDS, "password1": "kim", "password2": "kim"})
    assert response.status_code == 422
    assert "too short" in Page(response.content.decode()).text
    assert not User.objects.exists()


@pytest.mark.django_db
def test_whoever_comes_second_finds_nothing_to_set_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def be_second(user: User) -> None:
        raise first_admin.AlreadySetUpError

    monkeypatch.setattr(first_admin, "make_first_admin", be_second)
    assert client.post("/setup/", FIELDS).status_code == 404
    assert not User.objects.exists()


AWAY: tuple[dict[str, Any], ...] = (
    {"REMOTE_ADDR": "192.0.2.7"},
    {"HTTP_X_FORWARDED_FOR": "192.0.2.7"},
    {"HTTP_FORWARDED": "for=192.0.2.7"},
    {"REMOTE_ADDR": ""},
)


@pytest.mark.django_db
@pytest.mark.parametrize("extra", AWAY)
def test_from_elsewhere_it_takes_the_printed_token(client: Client, extra: dict[str, Any]) -> None:
    for attempt in ("", "guess"):
        assert client.get("/setup/", {"token": attempt}, **extra).status_code == 403
        assert client.post("/setup/", {**FIELDS, "token": attempt}, **extra).status_code == 403
    old, token = first_admin.offer_token(), first_admin.offer_token()
    assert client.get("/setup/", {"token": old}, **extra).status_code == 403
    page = read(client.get("/setup/", {"token": token}, **extra))
    assert token in page.values("value", "input")
    assert client.post("/setup/", {**FIELDS, "token": token}, **extra).status_code == 302
    assert not first_admin.is_token(token)


@pytest.mark.django_db
def test_server_on_a_public_address_asks_everybody_for_the_token(client: Client, settings: Settings) -> None:
    settings.IS_LOOPBACK = False
    response = client.get("/setup/")
    assert response.status_code == 403
    assert "create_admin" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_two_first_logins_at_once_one_is_made() -> None:
    start = threading.Barrier(2)
    outcomes: list[str] = []

    def make(name: str) -> None:
        start.wait(timeout=30)
        try:
            first_admin.make_first_admin(User(username=name))
            outcomes.append("made")
        except first_admin.AlreadySetUpError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=make, args=[name]) for name in ("kim", "lee")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == ["made", "refused"]
    assert User.objects.count() == 1
