from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sessions_ui import wiring
from statecore.core.sessions import Origin
from tests.web.page_reading import read, region, texts
from tests.web.session_builders import append, edits, make_session, says, sign_in, store_recorded, writes

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def sources(response: Any) -> list[str]:
    """What wrote and which value, newest first."""
    markup = response.content.decode()
    return [" ".join(pair) for pair in zip(texts(markup, "what"), texts(markup, "written"), strict=True)]


def test_history_lists_every_write_newest_first(viewer: Client) -> None:
    session = make_session(
        writes({"plan": "free"}), says("hi"), edits(removes=["plan"]), state={"plan": 1}, origin=Origin.IMPORTED
    )
    response = viewer.get(f"/sessions/{session.id}/history?key=plan")
    assert sources(response) == ["#3 removed", '#1 "free"', "baseline 1"]
    assert "operator:kim" in read(response).text


def test_history_names_import_corrections(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "request-input.replay.json")
    found = sources(viewer.get(f"/sessions/{session.id}/history?key=draft"))
    assert [each.split(" ")[0] for each in found] == ["import", "#7", "#3"]
    assert found[0].startswith("import correction after #11")


@pytest.mark.parametrize(
    ("key", "name"), [("plan", "Trip to Oslo"), ("user:plan", "ana@example.com"), ("app:plan", "shop")]
)
@pytest.mark.parametrize("what", ["history", "value"])
def test_history_and_value_name_whose_key_it_is(viewer: Client, key: str, name: str, what: str) -> None:
    session = make_session(writes({key: 1}), display_name="Trip to Oslo")
    if key == "plan" or what == "history":
        address = f"/sessions/{session.id}/{what}"
    else:
        ref = session.user_owner_id if key.startswith("user:") else session.app_owner_id
        address = f"/{key.split(':')[0]}s/{ref}/{what}"
    assert texts(viewer.get(address, {"key": key}).content.decode(), "crumbs")[0].split(" / ")[1] == name


@pytest.mark.parametrize(("key", "is_named"), [("plan", False), ("user:plan", True), ("app:plan", True)])
def test_history_names_sessions_only_where_there_can_be_several(viewer: Client, key: str, is_named: bool) -> None:
    session = make_session(writes({key: 1}))
    page = read(viewer.get(f"/sessions/{session.id}/history", {"key": key}))
    assert ("Session" in page.values("data-label", "td")) is is_named


@pytest.mark.parametrize("key", ["user:plan", "app:plan"])
def test_history_of_a_shared_key_spans_sessions_also_deleted_ones(viewer: Client, key: str) -> None:
    first = make_session(writes({key: 1}), session_id="first")
    second = make_session(writes({key: 2}), session_id="second")
    gone = make_session(writes({key: 3}), session_id="gone")
    wiring.store().delete_session(gone.key, rule="given", actor="process:test")
    append(first.key, writes({key: 4}))
    response = viewer.get(f"/sessions/{second.id}/history", {"key": key})
    assert sources(response) == ["#2 4", "#1 3", "#1 2", "#1 1"]
    page = read(response)
    assert "deleted session" in page.text
    assert f"/sessions/{first.id}/?at=2#e2" in page.values("href")


def test_history_of_a_user_and_an_app_have_addresses_of_their_own(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "pro", "app:tier": "flash"}))
    user = viewer.get(f"/users/{session.user_owner_id}/history", {"key": "user:plan"})
    app = viewer.get(f"/apps/{session.app_owner_id}/history", {"key": "app:tier"})
    assert sources(user) == ['#1 "pro"']
    assert sources(app) == ['#1 "flash"']


def test_address_of_a_user_is_none_of_an_app(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "pro", "app:tier": "flash"}))
    assert viewer.get(f"/apps/{session.user_owner_id}/history?key=user:plan").status_code == 404
    assert viewer.get(f"/users/{session.app_owner_id}/history?key=app:tier").status_code == 404
    assert viewer.get("/users/1/history?key=x").status_code == 404


def test_history_is_masked(viewer: Client) -> None:
    session = make_session(writes({"user:api_key": "hunter2"}))
    assert "hunter2" not in read(viewer.get(f"/sessions/{session.id}/history?key=user:api_key")).everything_said


def test_history_pages_both_ways_and_says_how_many(viewer: Client) -> None:
    session = make_session(*[writes({"step": number}) for number in range(120)])
    address = f"/sessions/{session.id}/history"
    newest = viewer.get(address, {"key": "step"})
    assert "50 of 120" in read(newest).text
    older = viewer.get(address + read_link(newest, "before"))
    assert sources(older)[0] == "#70 69"
    assert sources(viewer.get(address + read_link(older, "after"))) == sources(newest)
    append(session.key, writes({"step": 120}))
    assert sources(viewer.get(address + read_link(newest, "before"))) == sources(older)


def read_link(response: Any, cursor: str) -> str:
    (link,) = {value for value in read(response).values("href") if f"{cursor}=" in value}
    return link


def test_fragment_is_the_same_region_of_its_page(viewer: Client) -> None:
    session = make_session(writes({"step": 1}))
    address = f"/sessions/{session.id}/history?key=step"
    part = viewer.get(address, headers={"HX-Request": "true"}).content.decode()
    assert part.strip() == region(viewer.get(address).content.decode(), "history")


def test_big_value_is_named_and_loads_on_demand(viewer: Client) -> None:
    session = make_session(writes({"big": "x" * 500_000}), writes({"big": "small"}))
    page = read(viewer.get(f"/sessions/{session.id}/history?key=big"))
    assert "500 KB" in page.text
    (link,) = [value for value in page.values("href") if "position=" in value]
    assert "500 KB" in read(viewer.get(link)).text


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?key=nothing", 404), ("?key=temp:x", 404), ("?key=step&before=x", 400)]
)
def test_history_without_a_known_key_is_refused(viewer: Client, query: str, status: int) -> None:
    session = make_session(writes({"step": 1}))
    assert viewer.get(f"/sessions/{session.id}/history{query}").status_code == status


@pytest.mark.parametrize("count", [1, 50])
def test_number_of_queries_does_not_grow_with_the_rows(
    viewer: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session = make_session(*[writes({"step": number}) for number in range(count)])
    address = f"/sessions/{session.id}/history?key=step"
    viewer.get(address)
    with django_assert_num_queries(6):
        viewer.get(address)
