from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.page_reading import read
from tests.web.session_builders import make_session, sign_in, store_recorded

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client

pytestmark = pytest.mark.django_db

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def carrying(data: bytes | str, mime_type: str = "image/png") -> dict[str, Any]:
    text = data if isinstance(data, str) else base64.urlsafe_b64encode(data).decode()
    return {"content": {"parts": [{"inlineData": {"mimeType": mime_type, "data": text, "displayName": "a.png"}}]}}


def part_of(viewer: Client, session_ref: int, more: str = "", **headers: Any) -> Any:
    return viewer.get(f"/sessions/{session_ref}/events/1/parts/{more}", **headers)


def test_picture_is_offered_in_the_timeline_and_loads_only_on_demand(viewer: Client) -> None:
    session = make_session(carrying(PNG))
    page = read(viewer.get(f"/sessions/{session.id}/"))
    address = f"/sessions/{session.id}/events/1/parts/0/"
    assert address in page.values("href")
    assert address in page.values("hx-get")
    assert page.values("src", "img") == []


def test_picture_has_a_page_and_a_fragment(viewer: Client) -> None:
    session = make_session(carrying(PNG))
    page = read(part_of(viewer, session.id, "0/"))
    assert page.values("src", "img") == [f"/sessions/{session.id}/events/1/parts/0/data"]
    fragment = part_of(viewer, session.id, "0/", headers={"HX-Request": "true"}).content.decode()
    assert fragment.strip() in page.markup


def test_bytes_of_a_picture_come_back_as_they_were_sent(viewer: Client) -> None:
    response = part_of(viewer, make_session(carrying(PNG)).id, "0/data")
    assert response.content == PNG
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<html><script>alert(1)</script>", "image/png"),
        (b"<svg onload='x'/>", "image/svg+xml"),
        (b"%PDF", "text/html"),
    ],
)
def test_bytes_that_are_no_picture_are_a_download_whatever_they_say(viewer: Client, data: bytes, said: str) -> None:
    session = make_session(carrying(data, said))
    response = part_of(viewer, session.id, "0/data")
    assert response.content == data
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment;")
    assert read(part_of(viewer, session.id, "0/")).values("src", "img") == []


def test_broken_base64_is_said_to_be_broken(viewer: Client) -> None:
    session = make_session(carrying("not base64!"))
    assert "cannot be decoded" in read(part_of(viewer, session.id, "0/")).text
    assert part_of(viewer, session.id, "0/data").status_code == 404


def test_recorded_picture_shows(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "inline-image.replay.json")
    page = read(viewer.get(f"/sessions/{session.id}/"))
    (link,) = {value for value in page.values("hx-get") if "/parts/" in value}
    response = viewer.get(f"{link}data")
    assert response["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")


@pytest.mark.parametrize("part", ["1/", "0.0/", "x/", "-1/", "1/data"])
def test_part_that_carries_nothing_is_not_found(viewer: Client, part: str) -> None:
    assert part_of(viewer, make_session(carrying(PNG)).id, part).status_code == 404
