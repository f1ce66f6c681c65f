from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.sessions import Origin
from tests.web.page_reading import read, region, texts
from tests.web.session_builders import append, make_session, says, sign_in, store_recorded, writes

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def event_of(viewer: Client, session_ref: int, seq: int, more: str = "", **headers: Any) -> Any:
    return viewer.get(f"/sessions/{session_ref}/events/{seq}/{more}", **headers)


def call(identity: str) -> dict[str, Any]:
    return {"content": {"parts": [{"functionCall": {"id": identity, "name": "lookup", "args": {"order": "A-17"}}}]}}


def answer(identity: str) -> dict[str, Any]:
    response = {"id": identity, "name": "lookup", "response": {"status": "held"}}
    return {"content": {"parts": [{"functionResponse": response}]}}


def test_event_page_shows_parts_pair_delta_and_raw_json(viewer: Client) -> None:
    session = make_session(
        call("a"), {**answer("a"), **writes({"order_status": "held"})}, state={"order_status": "open"}
    )
    page = read(event_of(viewer, session.id, 2))
    for words in ("Answer of lookup", 'status "held"', "answers the call at #1", "order_status", '"functionResponse"'):
        assert words in page.text
    assert texts(page.markup, "delta-row") == ['~ changed session order_status "open" \u2192 to "held"']


def test_event_page_names_what_was_made_up(viewer: Client) -> None:
    session = make_session(says("hi"), origin=Origin.IMPORTED)
    assert "id and time made up here" in read(event_of(viewer, session.id, 1)).text


def test_raw_json_is_the_event_as_it_was_sent(viewer: Client) -> None:
    sent = {"id": "e-1", "author": "agent", "timestamp": 1.5, "output": {"b": [1.50, -0.0], "a": 10**30, "z": None}}
    session = make_session(sent)
    shown = json.loads(event_of(viewer, session.id, 1, "json").content)
    assert shown == sent
    assert list(shown["output"]) == ["b", "a", "z"]


def test_recorded_events_are_shown_json_equal(viewer: Client, real_sessions: Path) -> None:
    path = real_sessions / "parallel-branches.replay.json"
    session = store_recorded(path)
    events = json.loads(path.read_text("utf-8"))["events"]
    shown = [json.loads(event_of(viewer, session.id, seq, "json").content) for seq in range(1, session.revision + 1)]
    assert shown == events


def test_every_recorded_event_has_a_page(viewer: Client, real_sessions: Path) -> None:
    for name in ("customer-service.session.json", "tool-confirmation.replay.json", "retry-errors.replay.json"):
        session = store_recorded(real_sessions / name)
        for seq in range(1, session.revision + 1):
            assert f"Event #{seq}" in read(event_of(viewer, session.id, seq)).text


def test_fragment_is_the_same_region_of_its_page(viewer: Client) -> None:
    session = make_session(call("a"), answer("a"))
    whole = event_of(viewer, session.id, 2).content.decode()
    part = event_of(viewer, session.id, 2, headers={"HX-Request": "true", "HX-Target": "event-2"}).content.decode()
    assert part.strip() == region(whole, "event-2")


def test_correction_after_the_event_is_on_its_page(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "request-input.replay.json")
    assert "Import correction after this event" in read(event_of(viewer, session.id, 11)).text
    assert "Import correction" not in read(event_of(viewer, session.id, 10)).text


def test_pair_is_found_fifty_events_away(viewer: Client) -> None:
    session = make_session(call("a"), *[says("waiting")] * 49, answer("a"))
    assert "answered at #51" in read(event_of(viewer, session.id, 1)).text
    append(session.key, call("b"), *[says("waiting")] * 50, answer("b"))
    assert "no answer up to #102" in read(event_of(viewer, session.id, 52)).text


def test_big_event_shows_its_beginning_and_where_the_rest_is(viewer: Client) -> None:
    session = make_session(says("x" * 1_000_000), {"output": list(range(100_000))})
    response = event_of(viewer, session.id, 1)
    assert len(response.content) < 40_000
    page = read(response)
    (link,) = [value for value in page.values("href") if "pointer=%2Fcontent%2Fparts%2F0%2Ftext" in value]
    rest = read(viewer.get(link))
    assert "1.0 MB" in rest.text
    assert "The text goes on" in rest.text
    assert len(event_of(viewer, session.id, 2).content) < 60_000


def test_branch_that_was_left_out_loads_on_demand(viewer: Client) -> None:
    session = make_session({"output": {"list": list(range(300))}})
    page = read(event_of(viewer, session.id, 1))
    (link,) = {value for value in page.values("hx-get") if "/branch?" in value}
    assert link in page.values("href")
    assert "299" in read(viewer.get(link)).text
    part = viewer.get(link, headers={"HX-Request": "true"}).content.decode()
    assert part.startswith('<div class="branch">')


@pytest.mark.parametrize("query", ["?pointer=/nowhere", "?pointer=/author/0", "?pointer=x"])
def test_branch_that_is_not_there_is_not_found(viewer: Client, query: str) -> None:
    assert event_of(viewer, make_session(says("hi")).id, 1, f"branch{query}").status_code == 404


@pytest.mark.parametrize("seq", [0, 2, 10**12])
def test_event_that_does_not_exist_is_not_found(viewer: Client, seq: int) -> None:
    session = make_session(says("hi"))
    for more in ("", "json", "branch", "parts/0/", "parts/0/data"):
        assert event_of(viewer, session.id, seq, more).status_code == 404


def test_number_of_queries_of_an_event_page_is_fixed(
    viewer: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    session = make_session(*[writes({"step": number, "user:plan": number}) for number in range(50)])
    event_of(viewer, session.id, 25)
    with django_assert_num_queries(7):
        event_of(viewer, session.id, 25)


def test_name_of_an_unknown_field_cannot_turn_the_text_around(viewer: Client) -> None:
    session = make_session({"x\u202ey\x1b[31m": 1, "content": {"parts": [{"p\u202eq": 1}]}})
    markup = event_of(viewer, session.id, 1).content.decode()
    assert "\u27e8U+202E\u27e9" in markup
    assert not {"\u202e", "\x1b"} & set(markup)
