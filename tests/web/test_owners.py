from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sessions_ui.selectors import owners as selector
from statecore.models import Audit, Session, Subject
from tests.web.page_reading import read, region, texts
from tests.web.session_builders import make_session, sign_in, writes

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

pytestmark = pytest.mark.django_db

# Login session, person, owner, grants; sessions, their count; keys.
PAGE_QUERIES = 7


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def key_rows(viewer: Client, address: str) -> list[str]:
    return texts(viewer.get(address).content.decode(), "key-row")


def test_user_page_shows_the_users_own_keys_and_sessions(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "pro", "app:tier": 1, "step": 2}), session_id="trip-a")
    make_session(session_id="trip-b")
    make_session(user_id="bob", session_id="trip-c")
    page = read(viewer.get(f"/users/{session.user_owner_id}/"))
    assert texts(page.markup, "key-row") == ['user:plan "pro" #1 of trip-a']
    assert sorted(texts(page.markup, "cell-name")) == ["trip-a", "trip-b"]
    assert "2 of 2 sessions" in page.text
    assert f"/apps/{session.app_owner_id}/" in page.values("href")
    assert f"/users/{session.user_owner_id}/history?key=user%3Aplan" in page.values("href")


def test_app_page_shows_the_apps_own_keys_and_all_sessions_of_it(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "pro", "app:tier": 1}), session_id="trip-a")
    make_session(user_id="bob", session_id="trip-c")
    make_session(app_name="other", session_id="trip-d")
    page = read(viewer.get(f"/apps/{session.app_owner_id}/"))
    assert texts(page.markup, "key-row") == ["app:tier 1 #1 of trip-a"]
    assert sorted(texts(page.markup, "cell-name")) == ["trip-a", "trip-c"]


def test_values_are_the_newest_whoever_wrote_them(viewer: Client) -> None:
    first = make_session(writes({"user:plan": "free"}), session_id="trip-a")
    make_session(writes({"user:plan": "pro"}), session_id="trip-b")
    assert key_rows(viewer, f"/users/{first.user_owner_id}/") == ['user:plan "pro" #1 of trip-b']


def test_baseline_of_a_session_counts(viewer: Client) -> None:
    session = make_session(state={"app:tier": {"name": "flash"}}, session_id="trip-a")
    assert key_rows(viewer, f"/apps/{session.app_owner_id}/") == ['app:tier {"name":"flash"} baseline of trip-a']


def test_secrets_are_masked(viewer: Client) -> None:
    session = make_session(state={"user:api_key": "sk-live-1", "user:login": {"password": "hunter2"}})
    page = read(viewer.get(f"/users/{session.user_owner_id}/"))
    assert "user:api_key" in page.text
    for secret in ("sk-live-1", "hunter2"):
        assert secret not in page.everything_said


def test_big_value_is_shown_by_its_size(viewer: Client) -> None:
    session = make_session(state={"user:log": "\u00e4b\u4e2d" * 400_000})
    page = read(viewer.get(f"/users/{session.user_owner_id}/"))
    assert "MB" in page.text
    assert len(page.markup) < 20_000
    assert f"/users/{session.user_owner_id}/value?key=user%3Alog" in page.values("href")


def test_many_keys_come_in_pages(viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessions_ui.views import owners as view

    for module in (selector, view):
        monkeypatch.setattr(module, "KEY_PAGE", 3)
    session = make_session(state={f"user:k{number}": number for number in range(5)} | {"user:": "nameless"})
    address = f"/users/{session.user_owner_id}/"
    first = key_rows(viewer, address)
    assert [row.split()[0] for row in first] == ["user:", "user:k0", "user:k1"]
    (more,) = [url for url in read(viewer.get(address)).values("href") if url.startswith("?keys=")]
    rest = key_rows(viewer, address + more.removesuffix("#state"))
    assert [row.split()[0] for row in rest] == ["user:k2", "user:k3", "user:k4"]


@pytest.mark.parametrize("keys", ["app:x", "x", "user:\0"])
def test_keys_of_another_scope_are_a_bad_request(viewer: Client, keys: str) -> None:
    session = make_session()
    assert viewer.get(f"/users/{session.user_owner_id}/", {"keys": keys}).status_code == 400


def test_page_without_keys_says_how_they_come_about(viewer: Client) -> None:
    session = make_session()
    assert "with the prefix app:" in read(viewer.get(f"/apps/{session.app_owner_id}/")).text


def test_title_holds_no_personal_data(viewer: Client) -> None:
    session = make_session()
    markup = viewer.get(f"/users/{session.user_owner_id}/").content.decode()
    title = markup[markup.index("<title>") : markup.index("</title>")]
    assert str(session.user_owner_id) in title
    assert "ana" not in title


def test_users_number_is_no_apps_and_the_other_way_round(viewer: Client) -> None:
    session = make_session()
    assert viewer.get(f"/apps/{session.user_owner_id}/").status_code == 404
    assert viewer.get(f"/users/{session.app_owner_id}/").status_code == 404


@pytest.mark.parametrize("kind", ["apps", "users"])
def test_owner_without_a_grant_looks_unknown_and_is_recorded(client: Client, kind: str) -> None:
    session = make_session()
    stranger = sign_in(client, app_name="another")
    ref = session.app_owner_id if kind == "apps" else session.user_owner_id
    seen, unknown = stranger.get(f"/{kind}/{ref}/"), stranger.get(f"/{kind}/{ref + 4096 * 10**6}/")
    assert seen.status_code == unknown.status_code == 404
    assert seen.content == unknown.content
    denial = Audit.objects.get(outcome="denied")
    assert (denial.app_name, denial.verb) == ("shop", "read")
    subject = None if kind == "apps" else Subject.objects.get(user_id="ana@example.com").id
    assert denial.subject_ref == subject


def test_fragment_is_the_same_region_of_the_page(viewer: Client) -> None:
    session = make_session()
    Session.objects.update(receive_time=datetime(2020, 2, 29, tzinfo=UTC))  # not a second more on the way
    headers = {"HX-Request": "true", "HX-Target": "sessions"}
    for address in (f"/users/{session.user_owner_id}/", f"/apps/{session.app_owner_id}/"):
        page, fragment = viewer.get(address), viewer.get(address, headers=headers)
        assert fragment.content.decode().strip() == region(page.content.decode(), "sessions")


@pytest.mark.parametrize("count", [1, 50])
def test_number_of_queries_does_not_grow_with_the_rows(
    viewer: Client, django_assert_num_queries: DjangoAssertNumQueries, count: int
) -> None:
    for number in range(count):
        session = make_session(state={f"user:k{number}": 1, f"app:k{number}": 1, "__session_metadata__": {}})
    for address in (f"/users/{session.user_owner_id}/", f"/apps/{session.app_owner_id}/"):
        with django_assert_num_queries(PAGE_QUERIES):
            assert viewer.get(address).status_code == 200
