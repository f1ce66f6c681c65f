"""A content part as blocks: one renderer for each part field of the session JSON contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sessions_ui.presenters.blocks import (
    Block,
    Media,
    fact_block,
    flag_block,
    object_block,
    raw_block,
    text_block,
    tree_block,
)
from sessions_ui.presenters.json_tree import point_to
from sessions_ui.presenters.pictures import decoded_size, is_picture
from sessions_ui.presenters.visible_text import byte_size, visible_text


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part is: ``path`` for addresses (``2`` or ``2.0``), ``pointer`` in the event, the part itself."""

    path: str
    pointer: str
    part: Mapping[str, Any]


Renderer = Callable[[Any, Place], list[Block]]


def present_part(part: Any, *, path: str, pointer: str) -> list[Block]:
    """Return the blocks of one part, known fields first in their fixed order, unknown names as raw JSON."""
    if not isinstance(part, Mapping):
        return [raw_block("part", part, pointer=pointer)]
    place = Place(path, pointer, part)
    blocks: list[Block] = []
    for name, render in PART_RENDERERS.items():
        if part.get(name) is not None:
            blocks += render(part[name], place)
    blocks += [
        raw_block(name, value, pointer=point_to(pointer, name))
        for name, value in part.items()
        if name not in PART_RENDERERS
    ]
    return blocks


def _text(value: Any, place: Place) -> list[Block]:
    is_thought = place.part.get("thought") is True
    return [text_block("text", "Thought" if is_thought else "", value, pointer=f"{place.pointer}/text")]


def _thought(value: Any, place: Place) -> list[Block]:
    if value is True and "text" in place.part:
        return []  # said by the label of the text
    return [flag_block("thought", value, yes="a thought of the model", no="not a thought")]


def _signature(value: Any, place: Place) -> list[Block]:
    if not isinstance(value, str):
        return [raw_block("thoughtSignature", value, pointer=f"{place.pointer}/thoughtSignature")]
    return [fact_block("thoughtSignature", "Thought signature", f"{decoded_size(value):,} bytes")]


def _call(name: str, label: str, data: str) -> Renderer:
    """Return the renderer of a call or a response: who is called, its id, and its data as a tree."""

    def render(value: Any, place: Place) -> list[Block]:
        pointer = f"{place.pointer}/{name}"
        if not isinstance(value, Mapping):
            return [raw_block(name, value, pointer=pointer, label=label)]
        called = value.get("name", value.get("toolType", ""))
        head = object_block(name, label, value, pointer=pointer, hidden=(data, "name", "parts", "partialArgs"))
        blocks = [
            Block(
                name, label, "call", text=visible_text(str(called)), facts=head.facts, tree=head.tree, pointer=pointer
            )
        ]
        if data in value:
            blocks.append(tree_block(f"{name}.{data}", "", value[data], pointer=f"{pointer}/{data}"))
        if value.get("partialArgs") is not None:
            blocks.append(
                tree_block(
                    f"{name}.partialArgs", "Partial arguments", value["partialArgs"], pointer=f"{pointer}/partialArgs"
                )
            )
        return blocks + _inner_parts(value.get("parts"), place, pointer)

    return render


def _inner_parts(parts: Any, place: Place, pointer: str) -> list[Block]:
    if parts is None:
        return []
    if not isinstance(parts, list):
        return [raw_block("parts", parts, pointer=f"{pointer}/parts")]
    blocks: list[Block] = []
    for index, inner in enumerate(parts):
        blocks += present_part(inner, path=f"{place.path}.{index}", pointer=f"{pointer}/parts/{index}")
    return blocks


def _inline_data(value: Any, place: Place) -> list[Block]:
    pointer = f"{place.pointer}/inlineData"
    data = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(data, str):
        return [raw_block("inlineData", value, pointer=pointer, label="Inline data")]
    media = Media(
        mime_type=visible_text(str(value.get("mimeType") or "type not given")),
        size=byte_size(decoded_size(data)),
        name=visible_text(str(value.get("displayName") or "")),
        part=place.path,
        is_picture=is_picture(data),
    )
    rest = object_block("inlineData", "", value, pointer=pointer, hidden=("data", "mimeType", "displayName"))
    return [Block("inlineData", "Inline data", "media", media=media, facts=rest.facts, tree=rest.tree)]


def _file_data(value: Any, place: Place) -> list[Block]:
    pointer = f"{place.pointer}/fileData"
    if not isinstance(value, Mapping):
        return [raw_block("fileData", value, pointer=pointer, label="File")]
    media = Media(
        mime_type=visible_text(str(value.get("mimeType") or "type not given")),
        size="",
        name=visible_text(str(value.get("displayName") or "")),
        uri=visible_text(str(value.get("fileUri") or "")),
    )
    rest = object_block("fileData", "", value, pointer=pointer, hidden=("fileUri", "mimeType", "displayName"))
    return [Block("fileData", "File", "media", media=media, facts=rest.facts, tree=rest.tree)]


def _code(name: str, label: str, data: str, note: str) -> Renderer:
    """Return the renderer of code or of what it printed."""

    def render(value: Any, place: Place) -> list[Block]:
        pointer = f"{place.pointer}/{name}"
        if not isinstance(value, Mapping):
            return [raw_block(name, value, pointer=pointer, label=label)]
        block = text_block(
            name,
            label,
            value.get(data) or "",
            pointer=f"{pointer}/{data}",
            note=visible_text(str(value.get(note) or "")),
            shape="code",
        )
        rest = object_block(name, label, value, pointer=pointer, hidden=(data, note))
        return [block, rest] if rest.facts or rest.tree else [block]

    return render


def _transcription(value: Any, place: Place) -> list[Block]:
    return [
        present_transcription("audioTranscription", "Audio transcription", value, f"{place.pointer}/audioTranscription")
    ]


def present_transcription(name: str, label: str, value: Any, pointer: str) -> Block:
    """Return what was heard or said, and whether that was its end."""
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        return object_block(name, label, value, pointer=pointer)
    rest = object_block(name, label, value, pointer=pointer, hidden=("text",))
    spoken = text_block(name, label, value["text"], pointer=f"{pointer}/text")
    return Block(name, label, "text", spoken.text, spoken.note, spoken.pointer, rest.facts, rest.tree)


def _object(name: str, label: str) -> Renderer:
    def render(value: Any, place: Place) -> list[Block]:
        return [object_block(name, label, value, pointer=f"{place.pointer}/{name}")]

    return render


def _tree(name: str, label: str) -> Renderer:
    def render(value: Any, place: Place) -> list[Block]:
        return [tree_block(name, label, value, pointer=f"{place.pointer}/{name}")]

    return render


PART_RENDERERS: Final[dict[str, Renderer]] = {
    "text": _text,
    "thought": _thought,
    "functionCall": _call("functionCall", "Calls", "args"),
    "functionResponse": _call("functionResponse", "Answer of", "response"),
    "toolCall": _call("toolCall", "Calls built-in tool", "args"),
    "toolResponse": _call("toolResponse", "Answer of built-in tool", "response"),
    "executableCode": _code("executableCode", "Code to run", "code", "language"),
    "codeExecutionResult": _code("codeExecutionResult", "Result of the code", "output", "outcome"),
    "inlineData": _inline_data,
    "fileData": _file_data,
    "audioTranscription": _transcription,
    "videoMetadata": _object("videoMetadata", "Video section"),
    "mediaResolution": _object("mediaResolution", "Media resolution"),
    "mediaProcessing": _object("mediaProcessing", "Media processing"),
    "speechMetadata": _object("speechMetadata", "Speech"),
    "partMetadata": _tree("partMetadata", "Part metadata"),
    "thoughtSignature": _signature,
}
