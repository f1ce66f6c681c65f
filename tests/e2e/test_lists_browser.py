"""Signing in, the lists and the profile in a real Chromium: with scripts and without, in all colours and widths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import User

from sessions_ui.actions.first_admin import grant_everything
from tests.web.session_builders import make_session, says

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django import Settings
    from pytest_django.live_server_helper import LiveServer

    from statecore.core.sessions import Session

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Opener = Callable[..., "Page"]
PASSWORD = "correct horse battery"
AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
AXE_RUN = """async () => (await axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}))
  .violations.map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" | ")}`)"""
STORED = "[localStorage.length, sessionStorage.length]"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Settings) -> None:
    """The test server finds static files by their plain names alone."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


@pytest.fixture(autouse=True)
def _fast_hashes(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def open_login(browser: Browser, live_server: LiveServer) -> Any:
    """Open the login page, for somebody who has every right, in a context with these options."""
    user = User(username="kim")
    user.set_password(PASSWORD)
    grant_everything(user)
    contexts = []

    def open_it(**options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.goto("/")
        return page

    yield open_it
    for context in contexts:
        context.close()


def sign_in(page: Page) -> Page:
    page.get_by_label("Username").fill("kim")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.locator("#sessions").wait_for()
    return page


@pytest.fixture
def sessions() -> list[Session]:
    """Sixty sessions of two apps."""
    made = [make_session(says("hi"), app_name=f"app-{number % 2}", session_id=f"s{number:02}") for number in range(58)]
    long = "a-very-long-name-that-nobody-would-choose@" + "x" * 80
    made.append(make_session(user_id=long, session_id="y" * 120, app_name="z" * 100, state={"user:plan": "pro"}))
    made.append(make_session({"errorCode": "X"}, display_name="Trip to Oslo " * 20, state={"app:tier": {"a": [1]}}))
    return made


def failures_of(page: Page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))  # not as a script element, which the content policy refuses
    return list(page.evaluate(AXE_RUN))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_pages_are_accessible(open_login: Opener, sessions: list[Session], scheme: str, width: int) -> None:
    page = open_login(color_scheme=scheme, viewport={"width": width, "height": 900})
    assert failures_of(page) == []
    sign_in(page)
    for path in (
        "/",
        "/?user=nobody&app=app-1",
        f"/users/{sessions[-2].user_owner_id}/",
        f"/apps/{sessions[-1].app_owner_id}/",
        "/profile/",
        "/profile/password/",
        "/nowhere",
        "/?after=x",
    ):
        page.goto(path)
        assert failures_of(page) == [], path
        assert page.evaluate(OVERFLOW) <= 0, path


def test_filtering_swaps_the_list_and_keeps_the_form(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login())
    page.evaluate("window.isSamePage = true")
    page.get_by_label("App").fill("app-1")
    page.get_by_label("Session id begins with").fill("s1")
    page.keyboard.press("Enter")
    page.locator("#sessions-count", has_text="5 of 5 sessions").wait_for()
    assert page.evaluate("window.isSamePage") is True
    assert page.evaluate("document.activeElement.name") == "id"
    assert page.url.endswith("/?app=app-1&user=&id=s1")
    assert failures_of(page) == []
    page.reload()
    assert page.locator("#sessions-count").inner_text() == "5 of 5 sessions"
    assert page.get_by_label("App").input_value() == "app-1"
    page.go_back()
    page.locator("#sessions-count", has_text="50 of 60 sessions").wait_for()


def test_paging_keeps_the_focus_and_the_address(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login())
    page.evaluate("window.isSamePage = true")
    page.locator("#older-bottom").focus()
    page.keyboard.press("Enter")
    page.locator("#sessions-count", has_text="10 of 60 sessions").wait_for()
    assert page.locator(".cell-name", has_text="s00").count() == 1
    assert page.evaluate("window.isSamePage") is True
    page.locator("#newer-top").click()
    page.locator(".cell-name", has_text="Trip to Oslo").wait_for()
    page.go_back()
    page.locator(".cell-name", has_text="s00").wait_for()


def test_main_task_works_with_scripts_off(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login(java_script_enabled=False))
    page.get_by_label("Session id begins with").fill("s3")
    page.get_by_role("button", name="Filter").click()
    assert page.locator("#sessions-count").inner_text() == "10 of 10 sessions"
    page.get_by_role("link", name="Clear").click()
    page.locator("#older-top").click()
    page.get_by_role("link", name="s05").click()
    assert page.locator("h1").inner_text() == "s05"
    page.get_by_role("link", name="ana@example.com").first.click()
    assert "ana@example.com" in page.locator("h1").inner_text()
    page.get_by_role("link", name="kim").click()
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Save").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="Sign out").click()
    assert "Sign in" in page.locator("h1").inner_text()


def test_chosen_colours_win_over_the_devices(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login(color_scheme="light"))
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto("/profile/")
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved for this browser.").wait_for()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 23, 28)")


def test_failed_load_is_said_where_the_reader_is(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login())
    page.route("**/?before=*", lambda route: route.abort())
    page.locator("#older-top").click()
    page.locator("#notice", has_text="cannot be reached").wait_for()
    assert page.locator(".cell-name").count() == 50
    page.unroute("**/?before=*")
    page.route("**/?before=*", lambda route: route.continue_(url=f"{route.request.url}broken"))
    page.locator("#older-top").click()
    page.locator("#notice", has_text="This address does not work").wait_for()
    assert failures_of(page) == []


def test_login_that_ended_leads_to_the_login_and_back(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login())
    page.goto("/?app=app-1")
    page.context.clear_cookies()
    page.get_by_label("Session id begins with").fill("s1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/login/**")
    sign_in(page)
    assert page.url.endswith("/?app=app-1")


def test_copy_button_copies_the_whole_id(open_login: Opener, sessions: list[Session]) -> None:
    page = sign_in(open_login(permissions=["clipboard-read", "clipboard-write"]))
    page.goto(f"/users/{sessions[-2].user_owner_id}/")
    page.locator("button.copy").first.click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == sessions[-2].key.user_id


def test_page_says_nothing_to_the_console_and_keeps_nothing(open_login: Opener, sessions: list[Session]) -> None:
    said: list[str] = []
    page = open_login()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    sign_in(page)
    page.get_by_label("User").fill("ana@example.com")
    page.keyboard.press("Enter")
    page.locator("#sessions-count", has_text="50 of 59 sessions").wait_for()
    page.locator("#older-top").click()
    page.locator("#sessions-count", has_text="9 of 59 sessions").wait_for()
    assert page.evaluate(STORED) == [0, 0]
    page.go_back()
    page.locator("#sessions-count", has_text="50 of 59 sessions").wait_for()
    assert page.evaluate(STORED) == [0, 0]
    for path in ("/profile/", "/profile/password/", f"/users/{sessions[0].user_owner_id}/"):
        page.goto(path)
    assert said == []
    assert page.evaluate(STORED) == [0, 0]
