"""What holds for every page: a crawl from the list over everything that links lead to."""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from sessions_ui.presenters.gallery import ACTION_EXAMPLES, EVENT_EXAMPLES, PART_EXAMPLES
from tests.web.page_reading import Page
from tests.web.session_builders import make_session, says, sign_in, writes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

pytestmark = pytest.mark.django_db

SECRET_PERSON = "ana.nilsen@example.com"
SITE = "http://testserver"
STARTS = ("/", "/profile/", "/profile/password/", "/gallery/", "/?user=nobody", "/nowhere", "/?before=x")
MOST_OF_A_KIND = 12
MOST_BYTES = 200_000
FORBIDDEN_ATTRIBUTES = re.compile(r"^(style|on.+|hx-on.*|hx-vals|hx-vars)$")
ADDRESSES = ("href", "src", "action", "hx-get")
HTMX_VERBS = ("hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete")


@dataclass
class Visit:
    """An address and what it answered."""

    address: str
    response: Any
    page: Page | None


def furnish(client: Client) -> Client:
    """Make sessions with something of everything, and return a client that may see them."""
    for number in range(51):
        make_session(user_id=f"user {number}")
    large = {"list": list(range(300)), "text": "x" * 9000}
    call = {"content": {"parts": [{"functionCall": {"id": "a", "name": "look", "args": {"deep": {"deeper": large}}}}]}}
    make_session(
        *[says(f"word {number}", **writes({"step": number})) for number in range(60)],
        writes({"user:plan": large, "app:tier": large, "own": large}),
        user_id=SECRET_PERSON,
    )
    parts = [{"content": {"role": "model", "parts": [part]}} for part in PART_EXAMPLES.values()]
    fields = [{name: value} for name, value in EVENT_EXAMPLES.items() if name not in ("id", "author", "invocationId")]
    actions = [{"actions": {name: value}} for name, value in ACTION_EXAMPLES.items()]
    everything = [*parts, *fields, *actions]
    make_session(*everything, state={"step": 0}, user_id=SECRET_PERSON, display_name="Ana Nilsen")
    make_session(call, user_id=SECRET_PERSON)
    return sign_in(client)


def crawl(client: Client) -> Iterator[Visit]:
    """Follow links and the addresses that htmx would load, a dozen of each kind."""
    queue = deque(STARTS)
    seen: set[str] = set()
    visits: Counter[str] = Counter()
    while queue:
        address = queue.popleft()
        kind = re.sub(r"[0-9]+|=[^&]*", "*", address)
        if address in seen or visits[kind] == MOST_OF_A_KIND:
            continue
        seen.add(address)
        visits[kind] += 1
        response = client.get(address)
        is_page = response["Content-Type"].startswith("text/html")
        page = Page(response.content.decode()) if is_page else None
        yield Visit(address, response, page)
        if page is not None and response.status_code == 200:
            queue.extend(addresses_on(page, address))


def addresses_on(page: Page, address: str) -> Iterator[str]:
    """Return where a page leads, within the site."""
    for link in [*page.values("href", "a"), *page.values("hx-get"), *page.values("src", "img")]:
        target = urldefrag(urljoin(f"{SITE}{address}", link)).url
        if urlsplit(target).netloc == "testserver":
            yield target.removeprefix(SITE)


@pytest.mark.slow
def test_every_page_keeps_the_rules_of_all_pages(client: Client) -> None:
    furnish(client)
    visits = list(crawl(client))
    reached = {visit.response.resolver_match.url_name for visit in visits if visit.response.status_code == 200}
    assert reached >= {
        "sessions", "session", "event", "event-json", "event-branch", "event-part", "event-part-data",
        "session-history", "session-value", "user", "user-history", "user-value", "app", "app-history", "app-value",
        "profile", "password", "gallery",
    }  # fmt: skip
    complaints = [f"{visit.address}: {complaint}" for visit in visits for complaint in complaints_about(visit)]
    assert complaints == []


def complaints_about(visit: Visit) -> Iterator[str]:
    """Return what is wrong with an answer."""
    response = visit.response
    if response.status_code != {"/nowhere": 404, "/?before=x": 400}.get(visit.address, 200):
        yield f"status {response.status_code}"
    policy = response.get("Content-Security-Policy", "")
    if "unsafe" in policy or "default-src 'self'" not in policy:
        yield f"content policy {policy!r}"
    if response.get("Cache-Control") != "no-store" or "HX-Request" not in response.get("Vary", ""):
        yield "may be kept, or be mistaken for its fragment"
    if "ana" in urlsplit(visit.address).path.lower():
        yield "personal data in the path"
    if visit.page is not None:
        yield from complaints_about_markup(visit.page)


def complaints_about_markup(page: Page) -> Iterator[str]:
    """Return what is wrong with a page's markup."""
    for tag, name, value in page.attributes:
        is_code = name in ADDRESSES and value.strip().lower().startswith(("javascript:", "js:", "data:"))
        if is_code or FORBIDDEN_ATTRIBUTES.match(name):
            yield f"<{tag} {name}={value!r}>"
    yield from re.findall(r"<style[^>]*>|<script(?![^>]* src=)[^>]*>", page.markup)
    yield from complaints_about_elements(page)
    title = page.markup[page.markup.index("<title>") : page.markup.index("</title>")].lower()
    if "nilsen" in title or "trip" in title or "@" in title:
        yield f"personal data in {title}"
    ids = page.values("id")
    if len(ids) != len(set(ids)):
        yield f"ids used twice: {sorted({each for each in ids if ids.count(each) > 1})}"
    if len(page.markup.encode()) > MOST_BYTES:
        yield f"{len(page.markup.encode())} bytes"
    if "<main" not in page.markup or '<html lang="en"' not in page.markup:
        yield "no whole page"


def complaints_about_elements(page: Page) -> Iterator[str]:
    """Return what htmx would do that a page without scripts cannot."""
    for element in re.findall(r"<\w+(?:\s[^<>]*)?>", page.markup):
        if any(f" {verb}=" in element for verb in HTMX_VERBS):
            if " href=" not in element and " action=" not in element:
                yield f"works with scripts alone: {element}"
            if " hx-target=" not in element or " hx-swap=" not in element:
                yield f"target and swap are not on it: {element}"
        if element.startswith("<form") and 'method="post"' in element:
            form = page.markup[page.markup.index(element) :]
            if "csrfmiddlewaretoken" not in form[: form.index("</form>")]:
                yield f"no token of its own: {element}"


@pytest.mark.parametrize(
    "markup",
    [
        '<p style="color:red">',
        '<p onclick="x()">',
        '<p hx-on:click="x()">',
        "<style>p{}</style>",
        "<script>x()</script>",
        '<a href="javascript:x()">',
        '<button hx-get="/" hx-target="#a" hx-swap="outerHTML">',
        '<a href="/" hx-get="/">',
        '<form method="post" action="/"></form>',
        '<p id="a"><p id="a">',
    ],
)
def test_the_rules_notice(markup: str) -> None:
    page = '<html lang="en"><title>Sessions</title><main>{}</main></html>'
    assert list(complaints_about_markup(Page(page.format("<p>fine</p>")))) == []
    assert list(complaints_about_markup(Page(page.format(markup)))) != []
