"""One example of each name of the session JSON contract, for the gallery page that tests walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sessions_ui.presenters.content_parts import present_part
from sessions_ui.presenters.event_fields import ACTION_RENDERERS, EVENT_RENDERERS
from statecore.core.masking import DEFAULT_RULES, mask_event

if TYPE_CHECKING:
    from sessions_ui.presenters.blocks import Block

# The smallest PNG: one transparent point.
_PICTURE: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

PART_EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "text": {"text": "Where is my order?\n<b>This is text, not bold.</b>"},
    "thought": {"text": "The person asks about an order; look it up first.", "thought": True},
    "thoughtSignature": {"text": "Adding it.", "thoughtSignature": "AP8Q"},
    "functionCall": {
        "functionCall": {
            "id": "call-1",
            "name": "lookup_order",
            "args": {"order": "A-17", "with_items": True, "password": "shown as masked"},
            "partialArgs": [{"jsonPath": "$.order", "stringValue": "A-"}],
            "willContinue": False,
        }
    },
    "functionResponse": {
        "functionResponse": {
            "id": "call-1",
            "name": "lookup_order",
            "response": {"status": "held", "items": [{"name": "tea", "qty": 2}]},
            "scheduling": "WHEN_IDLE",
            "willContinue": False,
            "parts": [{"inlineData": {"mimeType": "image/png", "data": _PICTURE, "displayName": "label.png"}}],
        }
    },
    "toolCall": {"toolCall": {"id": "tool-1", "toolType": "GOOGLE_SEARCH", "args": {"query": "tea shops in Oslo"}}},
    "toolResponse": {"toolResponse": {"id": "tool-1", "toolType": "GOOGLE_SEARCH", "response": {"hits": 3}}},
    "executableCode": {"executableCode": {"language": "PYTHON", "code": "total = 2 * 49.5\nprint(total)"}},
    "codeExecutionResult": {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "99.0\n"}},
    "inlineData": {"inlineData": {"mimeType": "image/png", "data": _PICTURE, "displayName": "receipt.png"}},
    "fileData": {
        "fileData": {"mimeType": "video/mp4", "fileUri": "gs://bucket/unboxing.mp4", "displayName": "Unboxing"}
    },
    "videoMetadata": {
        "fileData": {"mimeType": "video/mp4", "fileUri": "gs://bucket/unboxing.mp4"},
        "videoMetadata": {"startOffset": "3s", "endOffset": "12.5s", "fps": 2},
    },
    "mediaResolution": {
        "fileData": {"mimeType": "image/png", "fileUri": "gs://bucket/box.png"},
        "mediaResolution": {"level": "MEDIA_RESOLUTION_HIGH", "numTokens": 1120},
    },
    "mediaProcessing": {
        "fileData": {"mimeType": "audio/wav", "fileUri": "gs://bucket/call.wav"},
        "mediaProcessing": {"state": "DONE"},
    },
    "speechMetadata": {"text": "Good morning.", "speechMetadata": {"speaker": "agent", "style": "calm"}},
    "partMetadata": {"text": "Marked.", "partMetadata": {"source": "memory", "score": 0.82}},
    "audioTranscription": {
        "audioTranscription": {"text": "I would like two boxes", "languageCode": "en-GB", "finished": True}
    },
}

ACTION_EXAMPLES: Final[dict[str, Any]] = {
    "stateDelta": {"order_status": "held", "user:plan": "pro", "app:model_tier": "flash", "note": None},
    "artifactDelta": {"receipt.pdf": 0, "label.png": 3},
    "requestedAuthConfigs": {
        "call-1": {
            "authScheme": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            "credentialKey": "weather_key",
            "rawAuthCredential": {"authType": "apiKey", "apiKey": "shown as masked"},
        }
    },
    "requestedToolConfirmations": {"call-2": {"hint": "Refund 49.50?", "confirmed": False, "payload": {"sum": 49.5}}},
    "transferToAgent": "billing",
    "transferReason": "the question is about an invoice",
    "escalate": True,
    "skipSummarization": True,
    "endOfAgent": True,
    "compaction": {
        "startTimestamp": 1796079885.0,
        "endTimestamp": 1796083485.5,
        "compactedContent": {"role": "model", "parts": [{"text": "They ordered tea and asked for the invoice."}]},
    },
    "agentState": {"step": "collect", "left": ["address"]},
    "rewindBeforeInvocationId": "e-11",
    "route": "revise",
    "renderUiWidgets": [{"id": "w-1", "provider": "maps", "payload": {"zoom": 12}}],
    "setModelResponse": {"answer": "yes", "confidence": 0.9},
}

EVENT_EXAMPLES: Final[dict[str, Any]] = {
    "id": "7a0e3c61-7f0d-4a1f-8f7e-0a53a3e7f002",
    "author": "shop_agent",
    "invocationId": "e-11",
    "timestamp": 1796079886.201,
    "content": {"role": "model", "parts": [{"text": "Two boxes of tea are in the cart."}]},
    "actions": {"transferToAgent": "billing"},
    "errorCode": "RESOURCE_EXHAUSTED",
    "errorMessage": "The quota of the model is used up; try again later.",
    "output": {"report": "done", "rows": [1, 2.50, -0.0]},
    "inputTranscription": {"text": "two boxes please", "finished": True},
    "outputTranscription": {"text": "They are in the cart.", "finished": False},
    "longRunningToolIds": ["call-1", "call-2"],
    "nodeInfo": {"path": "shop@1/cart@1", "outputFor": ["shop@1"], "messageAsOutput": True},
    "branch": "shop_agent.cart",
    "isolationScope": "cart",
    "partial": False,
    "turnComplete": True,
    "interrupted": True,
    "turnCompleteReason": "RESPONSE_DONE",
    "interactionStatus": "COMPLETED",
    "finishReason": "STOP",
    "modelVersion": "some-model-1",
    "usageMetadata": {
        "promptTokenCount": 41,
        "candidatesTokenCount": 12,
        "totalTokenCount": 53,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 41}],
    },
    "groundingMetadata": {
        "webSearchQueries": ["tea shops in Oslo"],
        "groundingChunks": [{"web": {"uri": "https://example.com/tea", "title": "Tea"}}],
    },
    "citationMetadata": {"citations": [{"startIndex": 0, "endIndex": 12, "uri": "https://example.com/tea"}]},
    "avgLogprobs": -0.125,
    "logprobsResult": {"chosenCandidates": [{"token": "Two", "logProbability": -0.1}]},
    "cacheMetadata": {"cacheName": "caches/1", "contentsCount": 4},
    "liveSessionId": "live-1",
    "liveSessionResumptionUpdate": {"newHandle": "h-2", "resumable": True},
    "goAway": {"timeLeft": "30s"},
    "voiceActivity": {"voiceActivityType": "ACTIVITY_START"},
    "interactionId": "interaction-1",
    "environmentId": "environment-1",
    "customMetadata": {"experiment": "b", "token": "shown as masked"},
}


@dataclass(frozen=True, slots=True)
class Example:
    """One name with its rendering; ``blocks`` is empty where the head of the event or the delta rows show it."""

    name: str
    blocks: tuple[Block, ...]
    note: str = ""


def present_part_examples() -> list[Example]:
    """Return an example for each part field."""
    examples = []
    for name, part in PART_EXAMPLES.items():
        masked = mask_event({"content": {"parts": [part]}}, DEFAULT_RULES)["content"]["parts"][0]
        examples.append(Example(name, tuple(present_part(masked, path="", pointer=""))))
    return examples


def present_action_examples() -> list[Example]:
    """Return an example for each field of an event's actions."""
    examples = []
    for name, value in ACTION_EXAMPLES.items():
        masked = mask_event({"actions": {name: value}}, DEFAULT_RULES)["actions"][name]
        note = "" if name != "stateDelta" else "shown as rows, old to new"
        examples.append(Example(name, tuple(ACTION_RENDERERS[name](masked)), note))
    return examples


def present_event_examples() -> list[Example]:
    """Return an example for each field of an event."""
    examples = []
    for name, value in EVENT_EXAMPLES.items():
        masked = mask_event({name: value}, DEFAULT_RULES)[name]
        render = EVENT_RENDERERS.get(name)
        examples.append(Example(name, tuple(render(masked)) if render else (), "" if render else "in the head"))
    return examples
