"""Shapes: what an object is, by its names, when it is no session; and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_SAVE: Final = "save the session itself (`adk run --save_session`, or Export in the web UI) and import that"
# All names of a set in the object make it this shape. The first that fits counts.
_SHAPES: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (frozenset({"eval_cases"}), f"is an eval set, not a session; {_SAVE}"),
    (frozenset({"evalCases"}), f"is an eval set, not a session; {_SAVE}"),
    (frozenset({"eval_id", "conversation"}), f"is an eval case, not a session; {_SAVE}"),
    (frozenset({"evalId", "conversation"}), f"is an eval case, not a session; {_SAVE}"),
    (frozenset({"eval_set_result_id"}), f"is the result of an eval set, not a session; {_SAVE}"),
    (frozenset({"evalSetResultId"}), f"is the result of an eval set, not a session; {_SAVE}"),
    (frozenset({"query", "reference"}), f"is an eval case of the old form, not a session; {_SAVE}"),
    (frozenset({"query", "expected_tool_use"}), f"is an eval case of the old form, not a session; {_SAVE}"),
    (
        frozenset({"queries"}),
        "is a list of queries for `adk run --replay`, not a session; run it with `--save_session` and import what "
        "that saves",
    ),
    (
        frozenset({"sessionState", "name"}),
        f"is a session resource of Vertex AI, which holds no events; {_SAVE}",
    ),
    (
        frozenset({"sessions"}),
        "is a list of sessions as an API answers it, or an export without its header; import the array in it",
    ),
)
_EVENT_NAMES: Final = frozenset({"author", "content", "invocationId", "invocation_id", "actions"})
_BARE_EVENT: Final = 'is a single event, not a session; put the events into {"events": [...]} and import that'
_NO_SESSION: Final = "has neither events nor state, so it is not a session"


def name_shape(names: AbstractSet[str]) -> str | None:
    """Return what an object with these names is and what to do; None if it is a session or a replay."""
    for needed, reason in _SHAPES:
        # A session that carries such a name beside its own is a session: the name is unknown and ignored.
        if needed <= names and "events" not in names:
            return reason
    if names & {"events", "state"}:
        return None
    return _BARE_EVENT if len(names & _EVENT_NAMES) > 1 else _NO_SESSION
