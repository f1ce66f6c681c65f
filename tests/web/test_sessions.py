from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth import SESSION_KEY
from django.db.models import F
from django.utils import timezone

from sessions_ui import paging
from sessions_ui.models import Grant
from sessions_ui.selectors import sessions as selector
from statecore.models import Session
from tests.web.page_reading import Page, read, region, texts
from tests.web.session_builders import make_session, says, sign_in

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

    from statecore.core.sessions import Session as Made

pytestmark = pytest.mark.django_db

# Login session, person, grants; apps, rows, names for several apps; count.
PAGE_QUERIES = 7
NOON = datetime(2020, 2, 29, 12, tzinfo=UTC)


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def listed(response: Any) -> list[str]:
    """The session cells of a list, in their order."""
    return texts(response.content.decode(), "cell-name")


def find(viewer: Client, **filters: str) -> list[str]:
    return listed(viewer.get("/", filters))


def date(session: Made, moment: datetime, *, minute: datetime | None = None) -> None:
    """Have the session's last activity at ``moment``; ``minute`` as it is indexed."""
    indexed = minute or moment.replace(second=0, microsecond=0)
    Session.objects.filter(id=session.id).update(receive_time=moment, active_at=indexed)


def link(page: Page, element_id: str) -> str:
    """The address of a link of the pager, "" where it is off."""
    markup = region(page.markup, element_id) if f'id="{element_id}"' in page.markup else ""
    return Page(markup).values("href")[0] if markup else ""


def walk(viewer: Client, start: str, way: str) -> list[list[str]]:
    """The session cells of each page from ``start`` on, following ``way``."""
    pages = []
    while start:
        page = read(viewer.get(start))
        pages.append(texts(page.markup, "cell-name"))
        start = link(page, f"{way}-top")
    return pages


def test_list_shows_what_is_known_of_a_session(viewer: Client) -> None:
    session = make_session(says("hi"), {"errorCode": "X", "author": "a"}, display_name="Trip to Oslo")
    page = read(viewer.get("/"))
    for word in ("Trip to Oslo", session.key.session_id, "shop", "ana@example.com", "in 364 d", "1 of 1 session"):
        assert word in page.text
    assert texts(page.markup, "cell-events") == ["2 ev."]
    assert texts(page.markup, "cell-errors") == ["1 err."]
    assert f"/sessions/{session.id}/" in page.values("href")


def test_newest_activity_comes_first(viewer: Client) -> None:
    seconds = {"older": 5, "newest": 50, "newer": 20}
    for name, second in seconds.items():
        date(make_session(session_id=name), NOON.replace(second=second))
    date(make_session(session_id="hour before"), NOON - timedelta(hours=1))
    assert find(viewer) == ["newest", "newer", "older", "hour before"]


def test_name_that_agents_keep_in_state_is_shown(viewer: Client) -> None:
    make_session(state={"__session_metadata__": {"displayName": "Talk about <b>"}}, session_id="a")
    make_session(state={"__session_metadata__": {"displayName": "x" * 5000}}, session_id="b")
    assert sorted(find(viewer)) == ["Talk about <b> a", "b"]


def test_paging_older_meets_each_session_once_while_new_ones_arrive(viewer: Client) -> None:
    names = [f"s{number:03}" for number in range(120)]
    for number, name in enumerate(names):  # pairs and triples within a minute, some at the same moment
        date(make_session(session_id=name), NOON + timedelta(seconds=number // 3 * 20))
    seen: list[str] = []
    address = "/"
    for number in itertools.count():
        page = read(viewer.get(address))
        seen += texts(page.markup, "cell-name")
        make_session(session_id=f"arrived-{number}")
        address = link(page, "older-top")
        if not address:
            break
    assert seen == sorted(names, reverse=True)


def test_paging_newer_is_the_same_way_back(viewer: Client) -> None:
    for number in range(120):
        date(make_session(session_id=f"s{number:03}"), NOON + timedelta(seconds=number // 3 * 20))
    there = walk(viewer, "/", "older")
    assert [len(page) for page in there] == [50, 50, 20]
    last = read(viewer.get(link(read(viewer.get(link(read(viewer.get("/")), "older-top"))), "older-top")))
    back = walk(viewer, link(last, "newer-top"), "newer")
    assert back == [there[1], there[0]]


def test_first_page_has_no_newer_and_last_no_older(viewer: Client) -> None:
    for number in range(51):
        date(make_session(session_id=f"s{number:02}"), NOON + timedelta(minutes=number))
    first = read(viewer.get("/"))
    assert link(first, "newer-top") == ""
    last = read(viewer.get(link(first, "older-top")))
    assert link(last, "older-top") == ""
    again = read(viewer.get(link(last, "newer-bottom")))
    assert (link(again, "newer-top"), link(again, "first-top")) == ("", "")
    assert texts(again.markup, "cell-name") == texts(first.markup, "cell-name")


def test_page_that_has_become_empty_leads_back(viewer: Client) -> None:
    make_session()
    place = paging.Place(datetime(2000, 1, 1, tzinfo=UTC), datetime(2000, 1, 1, tzinfo=UTC), 1)
    page = read(viewer.get("/", {"before": place.encode(), "app": "shop"}))
    assert "Go to the newest sessions" in page.text
    assert "/?app=shop" in page.values("href")


def test_broken_cursor_is_a_bad_request(viewer: Client) -> None:
    response = viewer.get("/", {"before": "nonsense"})
    assert response.status_code == 400
    assert "go back to the first page" in response.content.decode()


def test_count_stops_above_its_limit(viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        make_session()
    assert "4 of 4 sessions" in read(viewer.get("/")).text
    for module in (paging, selector):
        monkeypatch.setattr(module, "COUNT_LIMIT", 3)
    assert "4 of more than 3 sessions" in read(viewer.get("/")).text


def test_expired_sessions_are_left_out_unless_held(viewer: Client) -> None:
    past = timezone.now() - timedelta(seconds=1)
    for name in ("gone", "held", "alive"):
        make_session(session_id=name)
    Session.objects.exclude(session_id="alive").update(expire_time=past)
    Session.objects.filter(session_id="held").update(hold_until=F("expire_time") + timedelta(days=1))
    page = read(viewer.get("/"))
    assert sorted(texts(page.markup, "cell-name")) == ["alive", "held"]
    assert "2 of 2 sessions" in page.text
    assert texts(page.markup, "chip") == ["held"]


ODD = ("ana@example.com", "a/b/../c", "%2F", "x#y?z", "a b", "\U0001f98a", "\u0639\u0645\u0631", "'\"<i>", "a%", "a_b")


@pytest.mark.parametrize("name", ODD)
def test_filters_find_any_name(viewer: Client, name: str) -> None:
    make_session(app_name=name, user_id=name, session_id=name)
    make_session(app_name="other", user_id="other", session_id="other")
    assert "1 of 1 session" in read(viewer.get("/", {"app": name})).text
    assert "1 of 1 session" in read(viewer.get("/", {"user": name})).text
    assert "1 of 1 session" in read(viewer.get("/", {"id": name})).text
    assert "1 of 1 session" in read(viewer.get("/", {"app": name, "user": name, "id": name})).text


def test_filters_combine(viewer: Client) -> None:
    for app_name, user_id, session_id in itertools.product(("a1", "a2"), ("u1", "u2"), ("s1", "s2")):
        make_session(app_name=app_name, user_id=user_id, session_id=f"{session_id}-{app_name}-{user_id}")
    assert len(find(viewer, app="a1")) == 4
    assert len(find(viewer, user="u1")) == 4
    assert len(find(viewer, id="s1")) == 4
    assert sorted(find(viewer, user="u1", id="s1")) == ["s1-a1-u1", "s1-a2-u1"]
    assert find(viewer, app="a2", user="u1", id="s2") == ["s2-a2-u1"]


def test_beginning_of_an_id_is_text_and_no_pattern(viewer: Client) -> None:
    for name in ("a%c", "abc", "a_d", "a\\e", "b"):
        make_session(session_id=name)
    assert find(viewer, id="a%") == ["a%c"]
    assert find(viewer, id="a_") == ["a_d"]
    assert find(viewer, id="a\\") == ["a\\e"]


@pytest.mark.parametrize("value", ["\0", "a\0b", "x" * 129, "\n"])
def test_filter_that_no_id_can_match_matches_nothing(viewer: Client, value: str) -> None:
    make_session()
    for name in ("app", "user"):
        assert "No session matches" in read(viewer.get("/", {name: value})).text


def test_filters_stay_in_the_form_and_in_the_pager(viewer: Client) -> None:
    for number in range(51):
        make_session(session_id=f"s{number}")
    page = read(viewer.get("/", {"app": "shop", "user": "ana@example.com"}))
    assert {"shop", "ana@example.com"} <= set(page.values("value", "input"))
    assert urlencode({"app": "shop", "user": "ana@example.com"}) in link(page, "older-top")


def test_no_match_names_the_clause_that_leaves_nothing(viewer: Client) -> None:
    make_session(app_name="shop", user_id="ana", session_id="trip-1")
    page = read(viewer.get("/", {"app": "shop", "user": "bob", "id": "trip"}))
    assert "There are some without user \u201cbob\u201d" in page.text
    assert "without app" not in page.text
    assert "/?app=shop&id=trip" in page.values("href")


def test_no_match_of_one_clause_says_how_to_write_it(viewer: Client) -> None:
    make_session()
    assert "have to be written in full" in read(viewer.get("/", {"user": "ana"})).text


def test_empty_and_no_grant_are_different_messages(client: Client, viewer: Client) -> None:
    assert "There are no sessions yet" in read(viewer.get("/")).text
    make_session()
    nobody = sign_in(client, app_name="shop", rights=("export",))
    page = read(nobody.get("/"))
    assert "You have no grant to read sessions in any app" in page.text
    assert "shop" not in page.text


def test_only_granted_apps_are_listed_and_counted(client: Client) -> None:
    for app_name in ("a1", "a2", "a3"):
        make_session(app_name=app_name, session_id=f"in-{app_name}", user_id="ana")
    viewer = sign_in(client, app_name="a2")
    page = read(viewer.get("/"))
    assert texts(page.markup, "cell-name") == ["in-a2"]
    assert "1 of 1 session" in page.text
    assert find(viewer, user="ana") == ["in-a2"]
    assert find(viewer, id="in-") == ["in-a2"]


def test_app_out_of_reach_looks_like_one_that_does_not_exist(client: Client) -> None:
    make_session(app_name="hidden", user_id="ana")
    viewer = sign_in(client, app_name="a2")
    hidden, unknown = (
        viewer.get("/", {"app": name, "user": "ana"}).content.decode().replace(name, "NAME")
        for name in ("hidden", "strange")
    )
    assert Page(hidden).text == Page(unknown).text


def test_several_apps_are_merged_in_order(client: Client) -> None:
    for number in range(60):
        session = make_session(app_name=f"a{number % 3}", session_id=f"s{number:02}")
        date(session, NOON + timedelta(seconds=number))
    viewer = sign_in(client, app_name="a0")
    _grant(viewer, "a1")
    wanted = [f"s{number:02}" for number in reversed(range(60)) if number % 3 < 2]
    assert find(viewer) == wanted[:50]
    for number in range(60, 90):
        date(make_session(app_name=f"a{number % 2}", session_id=f"s{number:02}"), NOON + timedelta(seconds=number))
    first, second = walk(viewer, "/", "older")
    assert first + second == [f"s{number:02}" for number in reversed(range(60, 90))] + wanted


def _grant(viewer: Client, app_name: str) -> None:
    """Give the person who is signed in another app."""
    Grant.objects.create(user_id=int(viewer.session[SESSION_KEY]), app_name=app_name, rights=["read"])


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize("apps", [("*",), ("a0", "a1", "a2")])
def test_number_of_queries_does_not_grow_with_the_rows(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, count: int, apps: tuple[str, ...]
) -> None:
    for number in range(count):
        make_session(app_name=f"a{number % 3}", user_id=f"u{number}", state={"__session_metadata__": {"a": number}})
    viewer = sign_in(client, app_name=apps[0])
    for app_name in apps[1:]:
        _grant(viewer, app_name)
    for query in ("/", "/?app=a0", "/?id=trip", "/?user=u0"):
        with django_assert_max_num_queries(PAGE_QUERIES):
            assert viewer.get(query).status_code == 200


def test_fragment_is_the_same_region_of_the_page(viewer: Client) -> None:
    for number in range(51):
        make_session(session_id=f"s{number}", user_id=f"u{number % 2}")
    Session.objects.update(receive_time=NOON)  # so long ago that it does not become a second more on the way
    for query in ("/", "/?user=u1", "/?user=nobody", "/?id=s1"):
        page, fragment = viewer.get(query), viewer.get(query, headers={"HX-Request": "true"})
        assert fragment.content.decode().strip() == region(page.content.decode(), "sessions")


def test_list_is_kept_by_nobody(viewer: Client) -> None:
    response = viewer.get("/")
    assert response["Cache-Control"] == "no-store"
    assert "HX-Request" in response["Vary"]


def test_texts_from_outside_are_shown_and_never_obeyed(viewer: Client) -> None:
    make_session(
        app_name="<script>alert(1)</script>",
        user_id="\u202egnp.exe",
        session_id="{{ 7|add:1 }}",
        display_name="<img src=x onerror=alert(2)>",
    )
    page = read(viewer.get("/"))
    for text in (
        "<script>alert(1)</script>",
        "\u27e8U+202E\u27e9gnp.exe",
        "{{ 7|add:1 }}",
        "<img src=x onerror=alert(2)>",
    ):
        assert text in page.text
    assert "\u202e" not in page.markup
    assert page.values("onerror") == []


def test_list_opens_no_event_and_no_other_state(
    viewer: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    make_session(says("a secret word"), state={"plan": "a big plan"})
    with django_assert_max_num_queries(PAGE_QUERIES) as captured:
        viewer.get("/")
    asked = " ".join(query["sql"] for query in captured.captured_queries)
    assert "statecore_event" not in asked
    assert 1 == asked.count("__session_metadata__") == asked.count('FROM "statecore_state"')
