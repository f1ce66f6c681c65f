from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as LoginSession
from django.test import Client
from django.utils import timezone

from sessions_ui.login_timeout import RENEWED
from tests.web.page_reading import Page, read
from tests.web.session_builders import make_session, sign_in

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries, Settings

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def fast_hashes(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def kim() -> User:
    return User.objects.create_user("kim", password=PASSWORD)


def log_in(client: Client, password: str = PASSWORD, username: str = "kim", **more: Any) -> Any:
    return client.post("/login/", {"username": username, "password": password, **more})


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_login_leads_to_the_sessions(client: Client, kim: User) -> None:
    response = log_in(client)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert is_in(client)


def test_wrong_password_is_refused_with_the_reason(client: Client, kim: User) -> None:
    response = log_in(client, "wrong")
    assert response.status_code == 422
    assert "correct username and password" in Page(response.content.decode()).text
    assert not is_in(client)


def test_stranger_is_led_to_the_login_and_back(client: Client, kim: User) -> None:
    response = client.get("/?app=shop&user=ana%40example.com")
    assert response.status_code == 302
    page = read(client.get(response["Location"]))
    assert "/?app=shop&user=ana%40example.com" in page.values("value", "input")
    assert log_in(client, next="/?app=shop")["Location"] == "/?app=shop"


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "/\\evil.example",
        "http:evil.example",
        "-1",
        "evil.example",
        "../",
        "/" + "x" * 5000,
    ],
)
def test_login_leads_to_nobody_elses_page(client: Client, kim: User, wanted: str) -> None:
    assert log_in(client, next=wanted)["Location"] == "/"
    assert client.get("/login/", {"next": wanted})["Location"] == "/"


def test_fragment_of_a_stranger_leaves_the_page_for_the_login(client: Client, kim: User) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/?user=a%26b"}
    response = client.get("/", headers=headers)
    assert response.status_code == 401
    assert response["HX-Redirect"] == "/login/?" + urlencode({"next": "/?user=a%26b"})


@pytest.mark.parametrize("page", ["http://[", "http://a]b/", "//evil.example/x", "\x80", ""])
def test_fragment_of_a_stranger_is_refused_whatever_page_it_says_it_is_on(client: Client, page: str) -> None:
    response = client.get("/", headers={"HX-Request": "true", "HX-Current-URL": page})
    assert response.status_code == 401
    assert response["HX-Redirect"].startswith("/login/?next=%2F")


def test_logout_is_a_post_and_ends_the_login_session(client: Client, kim: User) -> None:
    log_in(client)
    assert client.get("/logout/").status_code == 405
    assert is_in(client)
    assert client.post("/logout/")["Location"] == "/login/"
    assert not is_in(client)
    assert not LoginSession.objects.exists()


def test_forms_without_our_token_are_refused_with_a_next_step(kim: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = log_in(client)
    assert response.status_code == 403
    assert "Load the page again" in response.content.decode()


def test_deactivated_person_loses_access_at_once(client: Client, kim: User) -> None:
    log_in(client)
    User.objects.filter(pk=kim.pk).update(is_active=False)
    assert not is_in(client)
    assert log_in(client).status_code == 422


def test_login_session_ends_after_its_time(client: Client, kim: User) -> None:
    log_in(client)
    LoginSession.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_in(client)


def test_use_keeps_a_login_session_alive(client: Client, kim: User, settings: Settings) -> None:
    log_in(client)
    session = client.session
    session[RENEWED] -= settings.SESSION_COOKIE_AGE // 10
    session.save()
    LoginSession.objects.update(expire_date=timezone.now() + timedelta(seconds=60))
    response = client.get("/")
    assert settings.SESSION_COOKIE_NAME in response.cookies
    assert LoginSession.objects.get().expire_date > timezone.now() + timedelta(hours=7)


def test_login_session_is_not_written_with_every_request(
    client: Client, kim: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    log_in(client)
    with django_assert_num_queries(3) as captured:
        client.get("/profile/")
    assert all(query["sql"].startswith("SELECT") for query in captured.captured_queries)


def test_too_many_wrong_passwords_pause_the_name_and_nobody_else(client: Client, kim: User, settings: Settings) -> None:
    User.objects.create_user("lee", password=PASSWORD)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = log_in(client, "wrong")
    assert response.status_code == 429
    assert response["Retry-After"] == "900"
    page = Page(response.content.decode())
    assert "For 15 minutes" in page.text
    assert log_in(client).status_code == 429
    assert log_in(Client(), username="lee").status_code == 302


def test_password_is_changed_and_other_logins_end(client: Client, kim: User) -> None:
    other = Client()
    for each in (client, other):
        log_in(each)
    new = "another long phrase"
    response = client.post("/profile/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert response.status_code == 302
    assert "The password is changed" in read(client.get("/profile/")).text
    assert not is_in(other)
    kim.refresh_from_db()
    assert kim.check_password(new)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"old_password": "wrong", "new_password1": "a long phrase 1", "new_password2": "a long phrase 1"},
            "incorrect",
        ),
        ({"old_password": PASSWORD, "new_password1": "a long phrase 1", "new_password2": "another"}, "match"),
        ({"old_password": PASSWORD, "new_password1": "short", "new_password2": "short"}, "too short"),
        ({"old_password": PASSWORD, "new_password1": "12345678901", "new_password2": "12345678901"}, "numeric"),
    ],
)
def test_password_is_not_changed_for_a_reason(client: Client, kim: User, fields: dict[str, str], reason: str) -> None:
    log_in(client)
    response = client.post("/profile/password/", fields)
    assert response.status_code == 422
    assert reason in Page(response.content.decode()).text
    kim.refresh_from_db()
    assert kim.check_password(PASSWORD)


def test_colours_are_in_the_markup_from_the_first_byte(client: Client) -> None:
    viewer = sign_in(client)
    assert read(viewer.get("/")).values("data-theme") == ["system"]
    assert viewer.post("/profile/", {"theme": "dark", "zone": "UTC"}).status_code == 302
    assert read(viewer.get("/")).values("data-theme") == ["dark"]
    viewer.post("/logout/")
    assert read(viewer.get("/login/")).values("data-theme") == ["dark"]


def test_times_are_shown_in_the_chosen_zone_and_say_so(client: Client) -> None:
    viewer = sign_in(client)
    session = make_session()
    assert "UTC" in read(viewer.get("/")).text
    viewer.post("/profile/", {"theme": "system", "zone": "Asia/Kathmandu"})
    for address in ("/", f"/sessions/{session.id}/"):
        page = read(viewer.get(address))
        assert "+0545" in page.text
        assert all(moment.endswith("Z") for moment in page.values("datetime"))


@pytest.mark.parametrize("cookie", ["Mars/Olympus", "../../etc/passwd", "", "\u0000", "/etc/localtime"])
def test_unknown_zone_or_theme_of_a_browser_is_left_out(client: Client, cookie: str) -> None:
    viewer = sign_in(client)
    make_session()
    for name in ("statecore_zone", "statecore_theme"):
        viewer.cookies[name] = cookie
    page = read(viewer.get("/"))
    assert "UTC" in page.text
    assert page.values("data-theme") == ["system"]


@pytest.mark.parametrize("fields", [{"theme": "pink", "zone": "UTC"}, {"theme": "dark", "zone": "Mars"}, {}])
def test_unknown_choice_of_appearance_is_refused(client: Client, fields: dict[str, str]) -> None:
    assert sign_in(client).post("/profile/", fields).status_code == 422


def test_profile_shows_the_persons_rights(client: Client) -> None:
    page = read(sign_in(client, app_name="shop", rights=("read", "edit", "no such right")).get("/profile/"))
    assert "shop : read, edit_session, edit_user, edit_app" in page.text.replace(" :", " :").replace("shop:", "shop :")
    assert "no such right" not in page.text


def test_profile_without_a_grant_says_what_to_do(client: Client, kim: User) -> None:
    log_in(client)
    assert "You have no grant yet" in read(client.get("/profile/")).text
