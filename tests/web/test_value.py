from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from statecore.core.sessions import Origin
from tests.web.page_reading import read
from tests.web.session_builders import edits, make_session, sign_in, writes

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def test_value_is_shown_as_of_the_event(viewer: Client) -> None:
    session = make_session(writes({"cart": {"tea": 1}}), writes({"cart": {"tea": 2}}))
    texts = [read(viewer.get(f"/sessions/{session.id}/value?key=cart{more}")).text for more in ("&at=1", "&at=2", "")]
    assert ["tea 1" in each for each in texts] == [True, False, False]
    assert "tea 2" in texts[1]
    assert "tea 2" in texts[2]


def test_value_says_of_which_moment_it_is(viewer: Client) -> None:
    session = make_session(writes({"cart": 1}), state={"cart": 0})
    address = f"/sessions/{session.id}/value?key=cart"
    assert "The value now." in read(viewer.get(address)).text
    assert "The value as of event #1 of this session." in read(viewer.get(f"{address}&at=1")).text
    assert "The value when the session was created." in read(viewer.get(f"{address}&at=0")).text
    assert "as one write of its history left it" in read(viewer.get(f"{address}&position=2")).text


def test_shared_value_is_as_of_the_moment_of_the_event(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "free"}))
    make_session(writes({"user:plan": "pro"}))
    address = f"/sessions/{session.id}/value?key=user:plan"
    assert '"free"' in read(viewer.get(f"{address}&at=1")).text or "free" in read(viewer.get(f"{address}&at=1")).text
    assert "pro" in read(viewer.get(address)).text


def test_secrets_inside_a_value_are_masked(viewer: Client) -> None:
    session = make_session(writes({"account": {"name": "ana", "password": "hunter2", "list": [{"apiKey": "hunter3"}]}}))
    said = read(viewer.get(f"/sessions/{session.id}/value?key=account")).everything_said
    assert "ana" in said
    assert "hunter" not in said


def test_secret_is_masked_below_its_own_name(viewer: Client) -> None:
    session = make_session(writes({"user:api_key": "hunter2"}))
    said = read(viewer.get(f"/users/{session.user_owner_id}/value?key=user:api_key")).everything_said
    assert "hunter2" not in said


def test_five_megabytes_are_shown_in_pieces(viewer: Client) -> None:
    session = make_session(writes({"big": {"text": "x" * 5_000_000, "list": list(range(1000))}}))
    response = viewer.get(f"/sessions/{session.id}/value?key=big")
    assert len(response.content) < 100_000
    page = read(response)
    (link,) = [value for value in page.values("href") if "pointer=%2Ftext" in value]
    piece = viewer.get(link)
    assert len(piece.content) < 200_000
    assert "5.0 MB" in read(piece).text
    assert "The text goes on" in read(piece).text


def test_removed_value_is_said_to_be_removed(viewer: Client) -> None:
    session = make_session(edits(removes=["plan"]), state={"plan": "pro"}, origin=Origin.IMPORTED)
    assert "The key was removed." in read(viewer.get(f"/sessions/{session.id}/value?key=plan")).text


def test_value_of_an_app_has_an_address_of_its_own(viewer: Client) -> None:
    session = make_session(writes({"app:tier": "flash"}))
    assert "flash" in read(viewer.get(f"/apps/{session.app_owner_id}/value?key=app:tier")).text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("?key=nothing", 404),
        ("?key=cart&at=0", 404),
        ("?key=cart&pointer=/nowhere", 404),
        ("?key=cart&at=x", 400),
    ],
)
def test_value_that_is_not_there_is_refused(viewer: Client, query: str, status: int) -> None:
    session = make_session(writes({"cart": 1}))
    assert viewer.get(f"/sessions/{session.id}/value{query}").status_code == status
