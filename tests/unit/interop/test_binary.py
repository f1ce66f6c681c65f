from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidInputError
from statecore.interop.binary import check_binary, is_base64


@given(st.binary())
def test_bytes_in_either_alphabet_with_or_without_padding_are_base64(data: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(data).decode()
        assert is_base64(text)
        assert is_base64(text.rstrip("="))


@pytest.mark.parametrize(
    "text", ["A", "AAAAA", "AA=", "A===", "AA=A", "====", "A+_A", "AA AA", "AAA\n", "ÆAAA", "%%%%"]
)
def test_other_texts_are_not(text: str) -> None:
    assert not is_base64(text)


def response(**part: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": "draw", "response": {}, "parts": [part]}}


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"content": {"parts": [{"text": "a"}, {"inlineData": {"data": "%"}}]}}, "content.parts[1].inlineData.data"),
        ({"content": {"parts": [{"inlineData": {"data": 7}}]}}, "content.parts[0].inlineData.data"),
        ({"content": {"parts": [{"thoughtSignature": "%"}]}}, "content.parts[0].thoughtSignature"),
        (
            {"content": {"parts": [response(inlineData={"data": "A"})]}},
            "content.parts[0].functionResponse.parts[0].inlineData.data",
        ),
        (
            {"actions": {"compaction": {"compactedContent": {"parts": [{"inlineData": {"data": "%"}}]}}}},
            "actions.compaction.compactedContent.parts[0].inlineData.data",
        ),
    ],
)
def test_broken_base64_is_refused_by_its_path(event: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_binary(event, "events[2]")
    assert caught.value.path == f"events[2].{path}"


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"content": None, "actions": None},
        {"content": {"parts": [{"thoughtSignature": "AP8Q", "inlineData": {"data": "_-8="}}]}},
        {"content": {"parts": "none"}, "actions": {"compaction": 7}},
        {"content": {"parts": ["text", None, {"inlineData": None}, {"inlineData": {"data": None}}]}},
        {"content": {"parts": [{"functionCall": {"args": {"inlineData": {"data": "%"}}}}]}},
    ],
)
def test_shapes_without_bytes_are_left_alone(event: dict[str, Any]) -> None:
    check_binary(event, "events[0]")
