from __future__ import annotations

import copy
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import InvalidInputError
from statecore.core.jsontext import parse_json
from statecore.core.spelling import ACTIONS, EVENT, PART, Shape, camel_case, canonical_event, canonical_session
from tests.strategies import json_values, texts

if TYPE_CHECKING:
    from pathlib import Path

DATA = {"snake_case": {"state_delta": [{"function_call": 1}]}, "camelCase": 2, "stateDelta": 3}


def test_known_names_become_camel_case_where_they_are_known() -> None:
    event = {
        "invocation_id": "i",
        "long_running_tool_ids": ["t"],
        "node_info": {"output_for": ["a"]},
        "content": {"parts": [{"thought_signature": "AA", "inline_data": {"mime_type": "image/png"}}]},
        "actions": {"transfer_to_agent": "b", "compaction": {"compacted_content": {"parts": [{"file_data": {}}]}}},
        "usage_metadata": {"prompt_tokens_details": [{"token_count": 3}]},
    }
    assert canonical_event(event) == {
        "invocationId": "i",
        "longRunningToolIds": ["t"],
        "nodeInfo": {"outputFor": ["a"]},
        "content": {"parts": [{"thoughtSignature": "AA", "inlineData": {"mimeType": "image/png"}}]},
        "actions": {"transferToAgent": "b", "compaction": {"compactedContent": {"parts": [{"fileData": {}}]}}},
        "usageMetadata": {"promptTokensDetails": [{"tokenCount": 3}]},
    }


@pytest.mark.parametrize(
    "event",
    [
        {"actions": {"stateDelta": DATA}},
        {"actions": {"artifactDelta": {"my_file.txt": 1}}},
        {"actions": {"agentState": DATA}},
        {"actions": {"requestedToolConfirmations": {"call_id": {"payload": DATA}}}},
        {"actions": {"requestedAuthConfigs": {"call_id": {"authScheme": DATA}}}},
        {
            "actions": {
                "requestedAuthConfigs": {"c": {"rawAuthCredential": {"http": {"additionalHeaders": {"x_key": "v"}}}}}
            }
        },
        {"content": {"parts": [{"functionCall": {"name": "f", "args": DATA}}]}},
        {"content": {"parts": [{"functionResponse": {"name": "f", "response": DATA}}]}},
        {
            "content": {
                "parts": [{"partMetadata": DATA}, {"toolCall": {"args": DATA}}, {"toolResponse": {"response": DATA}}]
            }
        },
        {"customMetadata": DATA},
        {"output": DATA},
        {"cacheMetadata": {"cache_name": "c", "expire_time": 1.5}},
    ],
)
def test_data_keeps_its_names(event: dict[str, Any]) -> None:
    assert canonical_event(event) == event


def test_unknown_names_are_kept_at_every_place() -> None:
    event = {"new_field": 1, "actions": {"other_action": {"a_b": 1}}, "content": {"parts": [{"new_part": {"x_y": 1}}]}}
    assert canonical_event(event) == event


def test_known_name_at_a_place_that_does_not_know_it_is_kept() -> None:
    event = {"mime_type": "x", "content": {"state_delta": {}, "parts": [{"invocation_id": "i"}]}}
    assert canonical_event(event) == event


@pytest.mark.parametrize(
    "event",
    [
        {"content": "text"},
        {"content": {"parts": {"text": "not a list"}}},
        {"content": {"parts": ["text", None, [[]]]}},
        {"actions": [1]},
        {"actions": {"requestedAuthConfigs": "none"}},
        {"usageMetadata": None},
    ],
)
def test_shapes_that_nobody_can_interpret_pass_as_they_are(event: dict[str, Any]) -> None:
    assert canonical_event(event) == event


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"invocation_id": "a", "invocationId": "a"}, "event.invocationId"),
        ({"actions": {"stateDelta": {}, "state_delta": {}}}, "event.actions.stateDelta"),
        (
            {"content": {"parts": [{}, {"function_call": {}, "functionCall": {}}]}},
            "event.content.parts[1].functionCall",
        ),
        (
            {"actions": {"requested_auth_configs": {"c": {"auth_scheme": 1, "authScheme": 1}}}},
            "event.actions.requestedAuthConfigs.c.authScheme",
        ),
    ],
)
def test_field_in_both_spellings_is_refused_by_path(event: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInputError, match="is given in both spellings; give it once") as caught:
        canonical_event(event)
    assert caught.value.path == path


def test_order_of_names_is_kept() -> None:
    assert list(canonical_event({"z": 1, "invocation_id": "i", "author": "a", "content": {}})) == [
        "z",
        "invocationId",
        "author",
        "content",
    ]


def test_session_has_its_own_names_and_leaves_state_and_events() -> None:
    session = {
        "app_name": "a",
        "user_id": "u",
        "last_update_time": 1,
        "state": DATA,
        "events": [{"invocation_id": "i"}],
    }
    assert canonical_session(session) == {
        "appName": "a",
        "userId": "u",
        "lastUpdateTime": 1,
        "state": DATA,
        "events": [{"invocation_id": "i"}],
    }
    with pytest.raises(InvalidInputError, match=r"session\.appName"):
        canonical_session({"app_name": "a", "appName": "a"})


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match.group().lower()}", name)


@lru_cache
def shaped(shape: Shape | None, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values as a shape knows them, spelled in camelCase, with data where it knows nothing."""
    data = st.sampled_from([None, "text", 1, DATA, [DATA], []])
    if shape is None or depth == 0:
        return data
    if shape.values is not None:
        return st.dictionaries(texts(max_size=3), shaped(shape.values, depth - 1), max_size=2)
    names = dict(shape.table.values())

    def known(chosen: list[str]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({name: shaped(names[name], depth - 1) for name in chosen})

    one = st.lists(st.sampled_from(sorted(names)), unique=True, max_size=4).flatmap(known)
    return one | st.lists(one, max_size=2)


def respelled(value: Any, shape: Shape | None) -> Any:
    """The same value with every known name in snake_case."""
    if shape is None:
        return value
    if isinstance(value, list):
        return [respelled(item, shape) for item in value]
    if not isinstance(value, dict):
        return value
    if shape.values is not None:
        return {key: respelled(item, shape.values) for key, item in value.items()}
    return {
        (snake_case(key) if key in shape.names else key): respelled(item, shape.table.get(key, ("", None))[1])
        for key, item in value.items()
    }


def events() -> st.SearchStrategy[dict[str, Any]]:
    return shaped(EVENT).filter(lambda value: isinstance(value, dict))


@given(events())
def test_either_spelling_becomes_the_same_event(event: dict[str, Any]) -> None:
    snake = respelled(event, EVENT)
    before = copy.deepcopy(snake)
    assert canonical_event(snake) == canonical_event(event) == event
    assert snake == before


@given(st.dictionaries(st.sampled_from(sorted(EVENT.table)) | texts(), json_values(max_leaves=4), max_size=4))
def test_canonical_event_is_canonical_already(event: dict[str, Any]) -> None:
    try:
        once = canonical_event(event)
    except InvalidInputError:
        return
    assert canonical_event(once) == once
    assert len(once) == len(event)


# Read from google-adk 2.13; a name that is missing here would be taken for an unknown one, and stored in two spellings.
KNOWN = [
    (
        EVENT,
        """id author invocationId branch isolationScope timestamp content actions longRunningToolIds output nodeInfo
        partial turnComplete interrupted turnCompleteReason interactionStatus finishReason errorCode errorMessage
        modelVersion liveSessionId interactionId environmentId customMetadata usageMetadata groundingMetadata
        citationMetadata inputTranscription outputTranscription logprobsResult cacheMetadata liveSessionResumptionUpdate
        goAway voiceActivity avgLogprobs""",
    ),
    (
        ACTIONS,
        """stateDelta artifactDelta requestedAuthConfigs requestedToolConfirmations skipSummarization transferToAgent
        transferReason escalate compaction endOfAgent agentState rewindBeforeInvocationId route renderUiWidgets
        setModelResponse""",
    ),
    (
        PART,
        """text thought thoughtSignature functionCall functionResponse inlineData fileData executableCode
        codeExecutionResult videoMetadata mediaResolution toolCall toolResponse partMetadata audioTranscription
        mediaProcessing speechMetadata""",
    ),
]


@pytest.mark.parametrize(("shape", "names"), KNOWN)
def test_known_names_are_those_of_adk(shape: Shape, names: str) -> None:
    assert shape.names == set(names.split())
    assert shape.names == {camel_case(name) for name in shape.table}


def test_digits_count_as_small_letters_in_a_name() -> None:
    assert camel_case("auth_provider_x509_cert_url") == "authProviderX509CertUrl"


@pytest.mark.parametrize(("pattern", "is_snake"), [("*.session.json", True), ("*.replay.json", False)])
def test_recorded_events_differ_from_canonical_ones_in_spelling_alone(
    real_sessions: Path, pattern: str, is_snake: bool
) -> None:
    events = [event for path in real_sessions.glob(pattern) for event in parse_json(path.read_bytes())["events"]]
    assert len(events) > 10
    for event in events:
        canonical = canonical_event(event)
        assert (respelled(canonical, EVENT) if is_snake else canonical) == event
        assert not is_snake or canonical != event
