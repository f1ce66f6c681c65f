from __future__ import annotations

import base64
from typing import Any

import pytest

from sessions_ui.presenters.event_detail import find_media
from sessions_ui.presenters.pictures import decode_base64, decoded_size, picture_type

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_both_alphabets_with_and_without_padding_are_decoded(encode: Any) -> None:
    text = encode(PNG).decode()
    assert decode_base64(text) == PNG
    assert decode_base64(text.rstrip("=")) == PNG
    assert decoded_size(text) == len(PNG)


@pytest.mark.parametrize("text", ["!!!", "abc\u00e9", "abcde"])
def test_what_is_not_base64_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not base64"):
        decode_base64(text)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
        (b"<html><script>", None),
        (b"%PDF-1.7", None),
        (b"", None),
    ],
)
def test_picture_is_known_by_its_bytes_alone(data: bytes, expected: str | None) -> None:
    assert picture_type(data) == expected


def payload(data: Any, mime: str = "image/png") -> dict[str, Any]:
    return {"content": {"parts": [{"text": "look"}, {"inlineData": {"mimeType": mime, "data": data}}]}}


def test_bytes_are_found_by_the_place_of_the_part() -> None:
    found = find_media(payload(base64.b64encode(PNG).decode(), mime="text/html"), "1")
    assert found is not None
    assert (found.data, found.picture_type, found.said_type) == (PNG, "image/png", "text/html")


def test_bytes_inside_a_response_are_found() -> None:
    inner = payload(base64.b64encode(PNG).decode())["content"]["parts"]
    outer = {"content": {"parts": [{"functionResponse": {"name": "draw", "parts": inner}}]}}
    found = find_media(outer, "0.1")
    assert found is not None
    assert found.data == PNG


@pytest.mark.parametrize("part", ["0", "2", "1.0", "99.99"])
def test_place_without_bytes_has_none(part: str) -> None:
    assert find_media(payload(base64.b64encode(PNG).decode()), part) is None


def test_broken_base64_is_said_to_have_no_bytes() -> None:
    found = find_media(payload("!!!"), "1")
    assert found is not None
    assert (found.data, found.picture_type) == (None, None)
