from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions_ui.presenters import gallery
from sessions_ui.presenters.content_parts import PART_RENDERERS, present_part
from sessions_ui.presenters.event_fields import ACTION_RENDERERS, EVENT_RENDERERS, HEADER_FIELDS, present_fields
from sessions_ui.presenters.sentences import describe_event
from statecore.core import spelling

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
CALL_FIELDS = ("functionCall", "functionResponse", "toolCall", "toolResponse")


def test_every_part_name_has_a_rendering_and_an_example() -> None:
    assert PART_RENDERERS.keys() == spelling.PART.names
    assert gallery.PART_EXAMPLES.keys() == spelling.PART.names


def test_every_action_name_has_a_rendering_and_an_example() -> None:
    assert ACTION_RENDERERS.keys() == spelling.ACTIONS.names
    assert gallery.ACTION_EXAMPLES.keys() == spelling.ACTIONS.names


def test_every_event_name_has_a_rendering_and_an_example() -> None:
    assert EVENT_RENDERERS.keys() | HEADER_FIELDS == spelling.EVENT.names
    assert gallery.EVENT_EXAMPLES.keys() == spelling.EVENT.names


@pytest.mark.parametrize(
    "example",
    [*gallery.present_part_examples(), *gallery.present_action_examples(), *gallery.present_event_examples()],
    ids=lambda example: example.name,
)
def test_no_known_name_falls_back_to_raw_json(example: gallery.Example) -> None:
    assert example.blocks or example.note
    assert not [block for block in example.blocks if block.shape == "raw"]


@pytest.mark.parametrize("name", CALL_FIELDS)
def test_every_inner_name_of_a_call_is_shown(name: str) -> None:
    part = gallery.PART_EXAMPLES[name]
    shown = " ".join(
        [block.name + block.label + block.text for block in present_part(part, path="0", pointer="")]
        + [fact.label + fact.text for block in present_part(part, path="0", pointer="") for fact in block.facts]
    )
    for word in ("id", *(key for key in ("args", "response", "scheduling") if key in part[name])):
        assert word in shown


def test_unknown_names_are_shown_as_raw_json() -> None:
    payload = {
        "brandNew": {"a": 1},
        "actions": {"newAction": [2]},
        "content": {"newContent": 3, "parts": [{"newPart": {"b": 4}}]},
    }
    raw = {block.name: block.text for block in present_fields(payload) if block.shape == "raw"}
    assert raw == {"brandNew": '{"a":1}', "newAction": "[2]", "newContent": "3", "newPart": '{"b":4}'}


@settings(max_examples=200)
@given(name=st.sampled_from(sorted(spelling.EVENT.names)), value=JSON)
def test_event_field_of_any_shape_is_shown_and_never_an_error(name: str, value: Any) -> None:
    present_fields({name: value})
    describe_event({name: value})


@settings(max_examples=200)
@given(name=st.sampled_from(sorted(spelling.PART.names)), value=JSON)
def test_part_field_of_any_shape_is_shown_and_never_an_error(name: str, value: Any) -> None:
    payload = {"content": {"parts": [{name: value}]}}
    blocks = present_fields(payload)
    describe_event(payload)
    assert blocks or value in (None, True)


@settings(max_examples=200)
@given(name=st.sampled_from(sorted(spelling.ACTIONS.names)), value=JSON)
def test_action_of_any_shape_is_shown_and_never_an_error(name: str, value: Any) -> None:
    present_fields({"actions": {name: value}})
    describe_event({"actions": {name: value}})


@given(value=JSON)
def test_content_and_actions_of_any_shape_are_shown_and_never_an_error(value: Any) -> None:
    for payload in ({"content": value}, {"content": {"parts": value}}, {"actions": value}):
        present_fields(payload)
        describe_event(payload)
