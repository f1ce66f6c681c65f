"""The session pages in a real Chromium: with scripts and without, by mouse and keyboard, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings

from tests.web.session_builders import make_session, says, sign_in, store_recorded, writes

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Browser, Page
    from pytest_django.fixtures import Settings
    from pytest_django.live_server_helper import LiveServer

    from statecore.core.sessions import Session

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Opener = Callable[..., "Page"]
AXE = Path(__file__).parents[1] / "vendor" / "axe.min.js"
AXE_RUN = """async () => (await axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}))
  .violations.map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" | ")}`)"""
WIDTH_OF_PICTURE = "async image => { await image.decode(); return image.naturalWidth }"
LEFTS = "elements => elements.map(element => element.getBoundingClientRect().left)"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(autouse=True)
def _plain_static_files(settings: Settings) -> None:
    """The test server finds static files by their plain names alone."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer, client: Client) -> Any:
    """Open pages as a signed-in person, in a context with these options."""
    sign_in(client)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    contexts = []

    def open_at(path: str, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        context.set_default_timeout(5_000)
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
        page = context.new_page()
        page.goto(path)
        return page

    yield open_at
    for context in contexts:
        context.close()


@pytest.fixture
def session() -> Session:
    """A session of 60 events with calls, edits, errors and a picture."""
    call = {"functionCall": {"id": "a", "name": "lookup", "args": {"order": "A-17"}}}
    answer = {"functionResponse": {"id": "a", "name": "lookup", "response": {"error": "404"}}}
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    picture = {"inlineData": {"mimeType": "image/png", "data": png}}
    return make_session(
        *[says(f"word {number}.", **writes({"step": number})) for number in range(1, 56)],
        {"content": {"parts": [call]}, "author": "planner"},
        {"content": {"parts": [answer]}, "author": "lookup", "errorCode": "NOT_FOUND"},
        {"content": {"parts": [picture]}},
        writes({"order_status": "held", "note": None}),
        writes({"order_status": 7}),
        state={"order_status": "open", "user:plan": "pro", "app:tier": {"name": "flash"}},
    )


def failures_of(page: Page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))  # not as a script element, which the content policy refuses
    return list(page.evaluate(AXE_RUN))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_session_pages_are_accessible(open_page: Opener, session: Session, scheme: str, width: int) -> None:
    base = f"/sessions/{session.id}/"
    size = {"width": width, "height": 900}
    for path in (
        base,
        f"{base}?at=59",
        f"{base}events/57/",
        f"{base}history?key=step",
        f"{base}value?key=app:tier",
        "/gallery/",
    ):
        page = open_page(path, color_scheme=scheme, viewport=size)
        assert failures_of(page) == [], path
        assert page.evaluate(OVERFLOW) <= 0, path


def test_lines_of_an_event_begin_where_the_others_do(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/events/59/")
    lefts = page.locator(".event-detail > .sentence, .event-detail > .delta").evaluate_all(LEFTS)
    assert len(lefts) == 2
    assert len(set(lefts)) == 1


def test_key_of_a_usual_length_is_on_one_line(open_page: Opener) -> None:
    session = make_session(says("hi"), state={"__session_metadata__": 1, "a": 2})
    page = open_page(f"/sessions/{session.id}/", viewport={"width": 1280, "height": 800})
    heights = page.locator("#state .key").evaluate_all("keys => keys.map(key => key.getClientRects().length)")
    assert heights == [1, 1]


def test_choosing_an_event_shows_its_state_and_keeps_the_place(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    before = page.locator("#timeline").inner_text()
    page.locator("#e58 .seq").click()
    page.wait_for_url("**/?at=58*")
    assert "State at #58" in page.locator("#state h2").inner_text()
    assert '"open"' in page.locator("#state .key-row", has_text="order_status").inner_text()
    assert page.locator("#timeline").inner_text() == before
    assert page.locator(".entry.is-selected").get_attribute("id") == "e58"
    page.locator("#state-newer").click()
    page.wait_for_url("**/?at=59*")
    assert '"held"' in page.locator("#state .key-row.is-lit", has_text="order_status").inner_text()
    page.go_back()
    page.wait_for_url("**/?at=58*")
    page.locator("#state h2", has_text="State at #58").wait_for()


def test_older_events_take_the_place_of_newer_ones(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    page.locator("#older-bottom").click()
    page.locator("#e1").wait_for()
    assert page.locator("#e60").count() == 0
    assert "before=11" in page.url
    page.reload()
    assert page.locator("#e1").count() == 1


def test_details_and_pictures_load_where_they_were_asked_for(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    page.locator("#e57 .detail-link").click()
    page.locator("#event-57 .raw-json").wait_for()
    page.locator("#picture-58-0").click()
    page.locator("figure#picture-58-0 img").wait_for()
    assert page.locator("#picture-58-0 img").evaluate(WIDTH_OF_PICTURE) == 1
    assert page.url.endswith(f"/sessions/{session.id}/")
    assert failures_of(page) == []


def test_details_can_be_closed_again(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    page.locator("#e57 .detail-link").click()
    page.locator("#event-57 > summary").click()
    page.locator("#event-57 .raw-json").wait_for(state="hidden")
    page.locator("#e57 .detail-link").click()
    page.locator("#event-57 .raw-json").wait_for(state="visible")


@pytest.mark.parametrize("query", ["", "?before=11", "?at=5"])
def test_newest_event_is_one_click_away(open_page: Opener, session: Session, query: str) -> None:
    page = open_page(f"/sessions/{session.id}/{query}", java_script_enabled=False)
    page.get_by_role("link", name="Newest").first.click()
    page.wait_for_url("**/#e60")
    box = page.locator("#e60").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 720


def test_main_task_works_with_scripts_off(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/", java_script_enabled=False)
    page.locator("#e59 .seq").click()
    assert "State at #59" in page.locator("#state h2").inner_text()
    page.locator("#state .key-row.is-lit .key", has_text="order_status").click()
    assert "History of" in page.locator("h1").inner_text()
    page.locator(".what a", has_text="#59").click()
    page.locator("#older-top").click()
    page.locator("#e3 .detail-link").click()
    assert "Event #3" in page.locator("h1").inner_text()
    page.go_back()
    page.locator("#jump").fill("57")
    page.locator(".jump button").click()
    assert "State at #57" in page.locator("#state h2").inner_text()


def test_main_task_works_by_keyboard_alone(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    page.locator("#jump").focus()
    page.keyboard.type("59")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?at=59*")
    page.locator("#state-older").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?at=58*")
    page.locator("#state h2", has_text="State at #58").wait_for()
    assert page.evaluate("document.activeElement.id") == "state-older"


def test_state_is_a_drawer_on_a_narrow_screen(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/?at=59", viewport={"width": 400, "height": 800})
    assert not page.locator("#state").is_visible()
    page.locator(".drawer-button").click()
    assert page.locator("#state .key-row.is-lit").first.is_visible()
    assert page.evaluate(OVERFLOW) <= 0
    page.keyboard.press("Escape")
    assert not page.locator("#state").is_visible()


def test_click_into_the_strip_jumps_there(open_page: Opener, session: Session) -> None:
    page = open_page(f"/sessions/{session.id}/")
    page.locator(".strip a").nth(4).click()
    page.wait_for_url("**/?at=5")
    assert page.locator("#e5.is-selected").is_visible()


def test_recorded_picture_shows_on_demand(open_page: Opener, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "inline-image.replay.json")
    page = open_page(f"/sessions/{session.id}/")
    assert page.locator("img").count() == 0
    page.get_by_role("link", name="Show the picture").first.click()
    page.locator("figure img").wait_for()
    assert page.locator("figure img").evaluate(WIDTH_OF_PICTURE) > 0


def test_page_says_nothing_to_the_console(open_page: Opener, session: Session) -> None:
    said: list[str] = []
    page = open_page("/gallery/")
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for path in ("", "?at=59", "events/57/", "events/58/parts/0/", "history?key=step"):
        page.goto(f"/sessions/{session.id}/{path}")
    assert said == []
