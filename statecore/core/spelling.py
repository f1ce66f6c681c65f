"""Spelling: camelCase for the names that we know, where we know them; everything else is data and stays.

The names are those of ADK's event and of the content types in it (google-adk 2.13, google-genai). A table entry is
a snake_case name and what is inside it: another table, a list of it, a map with free keys, or data (None).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from statecore.core.errors import InvalidInputError

_UNDERSCORE = re.compile(r"_([a-z0-9])")


def camel_case(name: str) -> str:
    """Return the camelCase spelling of a known snake_case name."""
    return _UNDERSCORE.sub(lambda match: match.group(1).upper(), name)


class Shape:
    """The known names of an object, each with the shape of what it holds (None: data).

    ``table`` maps both spellings to (canonical name, inner shape). With ``values``, the object's own keys are free
    and ``values`` is the shape of each value.
    """

    def __init__(self, fields: Mapping[str, Shape | None], *, values: Shape | None = None) -> None:
        self.names = frozenset(camel_case(name) for name in fields)
        self.values = values
        self.table = {
            spelling: (camel_case(name), inner)
            for name, inner in fields.items()
            for spelling in (name, camel_case(name))
        }


def _shape(*plain: str, **nested: Shape) -> Shape:
    return Shape({**dict.fromkeys(plain), **nested})


def _map_of(shape: Shape) -> Shape:
    return Shape({}, values=shape)


_BLOB = _shape("mime_type", "data", "display_name")
_FILE = _shape("mime_type", "file_uri", "display_name")
_WORDS = _shape("word", "start_offset", "end_offset")
_TRANSCRIPTION = _shape(
    "text", "finished", "language_code", "speaker_label", "start_offset", "end_offset", words=_WORDS
)
_PARTIAL_ARG = _shape("bool_value", "json_path", "null_value", "number_value", "string_value", "will_continue")
_RESPONSE_PART = _shape("media_processing", inline_data=_BLOB, file_data=_FILE)

PART = _shape(
    "text",
    "thought",
    "thought_signature",
    "part_metadata",
    "media_processing",
    function_call=_shape("id", "name", "args", "will_continue", partial_args=_PARTIAL_ARG),
    function_response=_shape("id", "name", "response", "scheduling", "will_continue", parts=_RESPONSE_PART),
    inline_data=_BLOB,
    file_data=_FILE,
    executable_code=_shape("code", "language", "id"),
    code_execution_result=_shape("outcome", "output", "id"),
    video_metadata=_shape("start_offset", "end_offset", "fps"),
    media_resolution=_shape("level", "num_tokens"),
    tool_call=_shape("id", "tool_type", "args"),
    tool_response=_shape("id", "tool_type", "response"),
    audio_transcription=_TRANSCRIPTION,
    speech_metadata=_shape("speaker", "style"),
)
CONTENT = _shape("role", parts=PART)

# Auth configs: OAuth headers and scopes are maps with free keys and stay, as do unknown schemes.
_CREDENTIAL = _shape(
    "auth_type",
    "resource_ref",
    "api_key",
    http=_shape("scheme", "additional_headers", credentials=_shape("username", "password", "token")),
    service_account=_shape(
        "scopes",
        "use_default_credential",
        "use_id_token",
        "audience",
        service_account_credential=_shape(
            "type",
            "project_id",
            "private_key_id",
            "private_key",
            "client_email",
            "client_id",
            "auth_uri",
            "token_uri",
            "auth_provider_x509_cert_url",
            "client_x509_cert_url",
            "universe_domain",
        ),
    ),
    oauth2=_shape(
        "client_id",
        "client_secret",
        "auth_uri",
        "state",
        "redirect_uri",
        "auth_response_uri",
        "auth_code",
        "access_token",
        "refresh_token",
        "id_token",
        "expires_at",
        "expires_in",
        "audience",
        "code_verifier",
    ),
)
_AUTH_CONFIG = _shape(
    "auth_scheme", "credential_key", raw_auth_credential=_CREDENTIAL, exchanged_auth_credential=_CREDENTIAL
)

ACTIONS = _shape(
    "skip_summarization",
    "state_delta",
    "artifact_delta",
    "transfer_to_agent",
    "transfer_reason",
    "escalate",
    "end_of_agent",
    "agent_state",
    "rewind_before_invocation_id",
    "route",
    "set_model_response",
    requested_auth_configs=_map_of(_AUTH_CONFIG),
    requested_tool_confirmations=_map_of(_shape("hint", "confirmed", "payload")),
    compaction=_shape("start_timestamp", "end_timestamp", compacted_content=CONTENT),
    render_ui_widgets=_shape("id", "provider", "payload"),
)

_TOKENS = _shape("modality", "token_count")
_USAGE = _shape(
    "cached_content_token_count",
    "candidates_token_count",
    "prompt_token_count",
    "thoughts_token_count",
    "tool_use_prompt_token_count",
    "total_token_count",
    "traffic_type",
    cache_tokens_details=_TOKENS,
    candidates_tokens_details=_TOKENS,
    prompt_tokens_details=_TOKENS,
    tool_use_prompt_tokens_details=_TOKENS,
)
_SNIPPET = _shape(
    "flag_content_uri",
    "google_maps_uri",
    "relative_publish_time_description",
    "review",
    "review_id",
    "title",
    author_attribution=_shape("display_name", "photo_uri", "uri"),
)
_RETRIEVED = _shape(
    "document_name",
    "text",
    "title",
    "uri",
    "file_search_store",
    "page_number",
    "media_id",
    rag_chunk=_shape("text", "chunk_id", "file_id", page_span=_shape("first_page", "last_page")),
    custom_metadata=_shape("key", "numeric_value", "string_value", string_list_value=_shape("values")),
)
_GROUNDING = _shape(
    "image_search_queries",
    "web_search_queries",
    "retrieval_queries",
    "google_maps_widget_context_token",
    grounding_chunks=_shape(
        image=_shape("source_uri", "image_uri", "title", "domain"),
        maps=_shape(
            "place_id",
            "text",
            "title",
            "uri",
            route=_shape("distance_meters", "duration", "encoded_polyline"),
            place_answer_sources=_shape("flag_content_uri", review_snippet=_SNIPPET, review_snippets=_SNIPPET),
        ),
        retrieved_context=_RETRIEVED,
        web=_shape("domain", "title", "uri"),
    ),
    grounding_supports=_shape(
        "confidence_scores",
        "grounding_chunk_indices",
        "rendered_parts",
        segment=_shape("start_index", "end_index", "part_index", "text"),
    ),
    retrieval_metadata=_shape("google_search_dynamic_retrieval_score"),
    search_entry_point=_shape("rendered_content", "sdk_blob"),
    source_flagging_uris=_shape("flag_content_uri", "source_id"),
)
_CANDIDATE = _shape("log_probability", "token", "token_id")

EVENT = _shape(
    "id",
    "author",
    "invocation_id",
    "branch",
    "isolation_scope",
    "timestamp",
    "long_running_tool_ids",
    "output",
    "partial",
    "turn_complete",
    "interrupted",
    "turn_complete_reason",
    "interaction_status",
    "finish_reason",
    "error_code",
    "error_message",
    "model_version",
    "live_session_id",
    "interaction_id",
    "environment_id",
    "custom_metadata",
    "avg_logprobs",
    "cache_metadata",  # ADK writes the names inside it in snake_case and reads no other
    content=CONTENT,
    actions=ACTIONS,
    node_info=_shape("path", "output_for", "message_as_output"),
    usage_metadata=_USAGE,
    grounding_metadata=_GROUNDING,
    citation_metadata=_shape(
        citations=_shape(
            "end_index",
            "license",
            "start_index",
            "title",
            "uri",
            publication_date=_shape("day", "month", "year"),
        )
    ),
    input_transcription=_TRANSCRIPTION,
    output_transcription=_TRANSCRIPTION,
    logprobs_result=_shape(
        "log_probability_sum",
        chosen_candidates=_CANDIDATE,
        top_candidates=_shape(candidates=_CANDIDATE),
    ),
    live_session_resumption_update=_shape("new_handle", "resumable", "last_consumed_client_message_index"),
    go_away=_shape("time_left"),
    voice_activity=_shape("voice_activity_type", "audio_offset"),
)
SESSION = _shape("id", "app_name", "user_id", "state", "events", "last_update_time")


def canonical_event(payload: Mapping[str, Any], *, path: str = "event") -> dict[str, Any]:
    """Return a copy of an event with every known name in camelCase; data, unknown names and odd shapes stay.

    Raises InvalidInputError naming the path where one object has a field in both spellings.
    """
    return _rename_object(payload, EVENT, path)


def canonical_session(record: Mapping[str, Any], *, path: str = "session") -> dict[str, Any]:
    """Return a copy of a session with its own six names in camelCase; events and state stay as they are."""
    return _rename_object(record, SESSION, path)


def _rename(value: Any, shape: Shape, path: str) -> Any:
    if isinstance(value, Mapping):
        return _rename_object(value, shape, path)
    if isinstance(value, list):
        return [_rename(item, shape, f"{path}[{index}]") for index, item in enumerate(value)]
    return value


def _rename_object(value: Mapping[str, Any], shape: Shape, path: str) -> dict[str, Any]:
    if shape.values is not None:
        return {key: _rename(item, shape.values, f"{path}.{key}") for key, item in value.items()}
    result: dict[str, Any] = {}
    for name, item in value.items():
        canonical, inner = shape.table.get(name, (name, None))
        if canonical in result:
            raise InvalidInputError(f"{path}.{canonical}", "is given in both spellings; give it once")
        result[canonical] = item if inner is None else _rename(item, inner, f"{path}.{canonical}")
    return result
