"""The fields of an event and of its actions as blocks: one renderer for each name of the session JSON contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sessions_ui.presenters.blocks import (
    Block,
    Fact,
    fact_block,
    flag_block,
    object_block,
    raw_block,
    text_block,
    tree_block,
)
from sessions_ui.presenters.content_parts import present_part, present_transcription
from sessions_ui.presenters.json_tree import compact_json, point_to
from sessions_ui.presenters.visible_text import visible_text

Renderer = Callable[[Any], list[Block]]

HEADER_FIELDS: Final = frozenset({"id", "author", "timestamp", "invocationId"})
"""Shown in the head of every event, by :mod:`sessions_ui.presenters.event_rows`."""


def present_fields(payload: Mapping[str, Any]) -> list[Block]:
    """Return the blocks of a masked event: content first, then what went wrong or came out, actions, details."""
    blocks: list[Block] = []
    for name, render in EVENT_RENDERERS.items():
        if payload.get(name) is not None:
            blocks += render(payload[name])
    known = EVENT_RENDERERS.keys() | HEADER_FIELDS
    blocks += [
        raw_block(name, value, pointer=point_to("", name)) for name, value in payload.items() if name not in known
    ]
    return blocks


def content_parts(payload: Mapping[str, Any]) -> list[Any]:
    """Return the parts of an event's content; an empty list where there are none to tell apart."""
    content = payload.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    return parts if isinstance(parts, list) else []


def flag_words(name: str, value: Any) -> str:
    """Return what a yes or no of this name says, "" where the name holds something else."""
    render = EVENT_RENDERERS.get(name) or ACTION_RENDERERS.get(name)
    blocks = render(value) if render is not None and isinstance(value, bool) else []
    return blocks[0].text if blocks and blocks[0].shape == "flag" else ""


def _content(value: Any) -> list[Block]:
    if not isinstance(value, Mapping):
        return [raw_block("content", value, pointer="/content", label="Content")]
    blocks: list[Block] = []
    parts = value.get("parts")
    if isinstance(parts, list):
        for index, part in enumerate(parts):
            blocks += present_part(part, path=str(index), pointer=f"/content/parts/{index}")
    elif parts is not None:
        blocks.append(raw_block("parts", parts, pointer="/content/parts"))
    if value.get("role") is not None:
        blocks.append(fact_block("role", "Role", value["role"], pointer="/content/role"))
    blocks += [
        raw_block(name, inner, pointer=point_to("/content", name))
        for name, inner in value.items()
        if name not in ("parts", "role")
    ]
    return blocks


def _actions(value: Any) -> list[Block]:
    if not isinstance(value, Mapping):
        return [raw_block("actions", value, pointer="/actions", label="Actions")]
    blocks: list[Block] = []
    for name, render in ACTION_RENDERERS.items():
        if value.get(name) not in (None, {}, []):
            blocks += render(value[name])
    blocks += [
        raw_block(name, inner, pointer=point_to("/actions", name))
        for name, inner in value.items()
        if name not in ACTION_RENDERERS
    ]
    return blocks


def _fact(name: str, label: str, *, inside: str = "") -> Renderer:
    return lambda value: [fact_block(name, label, value, pointer=f"{inside}/{name}")]


def _flag(name: str, yes: str, no: str) -> Renderer:
    return lambda value: [flag_block(name, value, yes=yes, no=no)]


def _object(name: str, label: str, *, inside: str = "") -> Renderer:
    return lambda value: [object_block(name, label, value, pointer=f"{inside}/{name}")]


def _tree(name: str, label: str, *, inside: str = "") -> Renderer:
    return lambda value: [tree_block(name, label, value, pointer=f"{inside}/{name}")]


def _transcript(name: str, label: str) -> Renderer:
    return lambda value: [present_transcription(name, label, value, f"/{name}")]


def _error_message(value: Any) -> list[Block]:
    return [text_block("errorMessage", "Error message", value, pointer="/errorMessage")]


def _node(value: Any) -> list[Block]:
    if isinstance(value, Mapping) and not any(value.values()):
        return []  # {"path": ""}, which every event outside a workflow has
    labels = {"path": "path", "outputFor": "output for", "messageAsOutput": "message is the output"}
    return [object_block("nodeInfo", "Workflow node", value, pointer="/nodeInfo", labels=labels)]


def _long_running(value: Any) -> list[Block]:
    if not isinstance(value, list):
        return [raw_block("longRunningToolIds", value, pointer="/longRunningToolIds")]
    if not value:
        return []
    return [
        Block("longRunningToolIds", "Calls that answer later", "facts", facts=tuple(Fact("", _name(i)) for i in value))
    ]


def _artifacts(value: Any) -> list[Block]:
    if not isinstance(value, Mapping):
        return [raw_block("artifactDelta", value, pointer="/actions/artifactDelta")]
    facts = tuple(Fact(_name(name), f"version {compact_json(version, limit=40)[0]}") for name, version in value.items())
    return [Block("artifactDelta", "Artifacts saved", "facts", facts=facts)]


def _confirmations(value: Any) -> list[Block]:
    return _per_call("requestedToolConfirmations", "Confirmation asked for", value)


def _auth_configs(value: Any) -> list[Block]:
    return _per_call("requestedAuthConfigs", "Credential asked for", value)


def _per_call(name: str, label: str, value: Any) -> list[Block]:
    """Return one block a call id."""
    pointer = f"/actions/{name}"
    if not isinstance(value, Mapping):
        return [raw_block(name, value, pointer=pointer, label=label)]
    return [
        object_block(name, label, inner, pointer=point_to(pointer, call), note=f"call {_name(call)}")
        for call, inner in value.items()
    ]


def _compaction(value: Any) -> list[Block]:
    pointer = "/actions/compaction"
    content = value.get("compactedContent") if isinstance(value, Mapping) else None
    parts = content.get("parts") if isinstance(content, Mapping) else None
    hidden = ("compactedContent",) if isinstance(parts, list) else ()
    labels = {"startTimestamp": "from (seconds)", "endTimestamp": "to (seconds)"}
    blocks = [
        object_block("compaction", "Earlier events compacted", value, pointer=pointer, labels=labels, hidden=hidden)
    ]
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        blocks += present_part(part, path="", pointer=f"{pointer}/compactedContent/parts/{index}")
    return blocks


def _state_delta(value: Any) -> list[Block]:
    """The delta has rows of its own beside the blocks; only a shape that cannot be a delta is shown here."""
    return [] if isinstance(value, Mapping) else [raw_block("stateDelta", value, pointer="/actions/stateDelta")]


def _name(value: Any) -> str:
    return visible_text(value) if isinstance(value, str) else compact_json(value, limit=80)[0]


ACTION_RENDERERS: Final[dict[str, Renderer]] = {
    "stateDelta": _state_delta,
    "artifactDelta": _artifacts,
    "requestedAuthConfigs": _auth_configs,
    "requestedToolConfirmations": _confirmations,
    "transferToAgent": _fact("transferToAgent", "Hands over to", inside="/actions"),
    "transferReason": _fact("transferReason", "Reason of the hand-over", inside="/actions"),
    "escalate": _flag("escalate", "escalates to the agent above", "does not escalate"),
    "skipSummarization": _flag("skipSummarization", "the answer is not summarised", "the answer may be summarised"),
    "endOfAgent": _flag("endOfAgent", "the agent has ended its run", "the agent goes on"),
    "compaction": _compaction,
    "agentState": _tree("agentState", "Agent state", inside="/actions"),
    "rewindBeforeInvocationId": _fact("rewindBeforeInvocationId", "Rewinds to before invocation", inside="/actions"),
    "route": _fact("route", "Route taken", inside="/actions"),
    "renderUiWidgets": _tree("renderUiWidgets", "Widgets to show", inside="/actions"),
    "setModelResponse": _tree("setModelResponse", "Structured answer of the model", inside="/actions"),
}

EVENT_RENDERERS: Final[dict[str, Renderer]] = {
    "content": _content,
    "errorCode": _fact("errorCode", "Error code"),
    "errorMessage": _error_message,
    "output": _tree("output", "Output"),
    "actions": _actions,
    "inputTranscription": _transcript("inputTranscription", "Heard"),
    "outputTranscription": _transcript("outputTranscription", "Said"),
    "longRunningToolIds": _long_running,
    "nodeInfo": _node,
    "branch": _fact("branch", "Branch"),
    "isolationScope": _fact("isolationScope", "Isolation scope"),
    "partial": _flag("partial", "partial: more of it follows", "complete, not partial"),
    "turnComplete": _flag("turnComplete", "the turn is complete", "the turn goes on"),
    "interrupted": _flag("interrupted", "interrupted", "not interrupted"),
    "turnCompleteReason": _fact("turnCompleteReason", "Why the turn ended"),
    "interactionStatus": _fact("interactionStatus", "Interaction status"),
    "finishReason": _fact("finishReason", "Why the model stopped"),
    "modelVersion": _fact("modelVersion", "Model"),
    "usageMetadata": _object("usageMetadata", "Tokens used"),
    "groundingMetadata": _tree("groundingMetadata", "Grounding"),
    "citationMetadata": _tree("citationMetadata", "Citations"),
    "avgLogprobs": _fact("avgLogprobs", "Average log probability"),
    "logprobsResult": _tree("logprobsResult", "Log probabilities"),
    "cacheMetadata": _object("cacheMetadata", "Context cache"),
    "liveSessionId": _fact("liveSessionId", "Live session"),
    "liveSessionResumptionUpdate": _object("liveSessionResumptionUpdate", "Live session resumption"),
    "goAway": _object("goAway", "The live server is going away"),
    "voiceActivity": _object("voiceActivity", "Voice activity"),
    "interactionId": _fact("interactionId", "Interaction"),
    "environmentId": _fact("environmentId", "Environment"),
    "customMetadata": _tree("customMetadata", "Custom metadata"),
}
