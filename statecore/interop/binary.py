"""Bytes in events: base64 that is none is found before it is stored, for nobody could read it back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from statecore.core.errors import InvalidInputError

# One alphabet or the other, with its padding or without any.
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})")


def check_binary(event: Mapping[str, Any], path: str) -> None:
    """Raise InvalidInputError naming the path unless all bytes of an event in canonical spelling are base64."""
    actions = event.get("actions")
    compaction = actions.get("compaction") if isinstance(actions, Mapping) else None
    summary = compaction.get("compactedContent") if isinstance(compaction, Mapping) else None
    for content, where in (
        (event.get("content"), f"{path}.content"),
        (summary, f"{path}.actions.compaction.compactedContent"),
    ):
        for part, place in _parts(content, where):
            _check(part, "thoughtSignature", place)
            _check(part.get("inlineData"), "data", f"{place}.inlineData")


def _parts(content: Any, path: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the parts of a content or a function response, and those inside of them."""
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if not isinstance(parts, list):
        return
    for index, part in enumerate(parts):
        if isinstance(part, Mapping):
            place = f"{path}.parts[{index}]"
            yield part, place
            yield from _parts(part.get("functionResponse"), f"{place}.functionResponse")


def _check(holder: Any, name: str, path: str) -> None:
    data = holder.get(name) if isinstance(holder, Mapping) else None
    if data is None:
        return
    if not isinstance(data, str):
        raise InvalidInputError(f"{path}.{name}", "must be base64 text")
    if not is_base64(data):
        raise InvalidInputError(f"{path}.{name}", "is not base64")


def is_base64(data: str) -> bool:
    """Whether a text is base64 in the standard or the url-safe alphabet; the padding may be missing."""
    match = _BASE64.fullmatch(data)
    if match is None:
        return False
    padding = len(match.group(1))
    return (len(data) % 4 == 0) if padding else (len(data) % 4 != 1)
