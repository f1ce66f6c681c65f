"""One plain sentence an event, made by rules: what happened, then what it did to state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sessions_ui.presenters.carried_fields import describe_carried, unknown_names
from sessions_ui.presenters.event_fields import content_parts
from sessions_ui.presenters.json_tree import compact_json
from sessions_ui.presenters.visible_text import one_line, visible_text

if TYPE_CHECKING:
    from sessions_ui.presenters.deltas import DeltaRow

MAX_LENGTH: Final = 140
MAX_CLAUSES: Final = 3
_SHORT: Final = 48


NO_WORDS: Final = "An event that no rule can put into words"
NOTHING: Final = "Nothing said, nothing changed"


class Sentence(NamedTuple):
    """The sentence of an event. ``clauses`` are the parts that it holds whole, ``rest`` what it has no words for."""

    text: str
    clauses: frozenset[str] = frozenset()
    rest: Mapping[str, Any] | None = None


def describe_event(payload: Mapping[str, Any], delta: Sequence[DeltaRow] = (), *, delta_count: int = 0) -> Sentence:
    """Return the sentence of a masked event.

    Known names always have words. An event that says and changes nothing has a ``rest`` if it holds unknown names.
    """
    clauses: list[str] = []
    happened = _failure(payload) or _hand_over(payload) or _request(payload)
    if not happened:
        clauses = _clauses(content_parts(payload))
        happened = _join(clauses) or _rest(payload)
    did = describe_delta(delta, count=delta_count or len(delta))
    if happened or did:
        return Sentence(_join([each for each in (happened, did) if each]), frozenset(clauses))
    rest = unknown_names(payload)
    return Sentence(describe_carried(payload) or (NO_WORDS if rest else NOTHING), rest=rest or None)


def describe_delta(rows: Sequence[DeltaRow], *, count: int) -> str:
    """Return ``order_status went from "open" to "held"``, or the names where several keys changed."""
    if not rows:
        return ""
    if count > 1:
        names = ", ".join(one_line(row.key, limit=_SHORT) for row in rows[:3])
        return f"{names} and {count - 3:,} more keys changed" if count > 3 else f"{names} changed"
    row = rows[0]
    key = one_line(row.key, limit=_SHORT)
    if row.new.kind == "removed":
        return f"{key} was removed"
    new = one_line(row.new.text, limit=_SHORT)
    if row.old.kind in ("absent", "removed"):
        return f"{key} was set to {new}"
    return f"{key} went from {one_line(row.old.text, limit=_SHORT)} to {new}"


def _failure(payload: Mapping[str, Any]) -> str:
    code, message = payload.get("errorCode"), payload.get("errorMessage")
    if not code and not message:
        return ""
    said = ": ".join(one_line(str(each), limit=MAX_LENGTH) for each in (code, message) if each)
    return f"Failed with {said}"


def _hand_over(payload: Mapping[str, Any]) -> str:
    actions = _object(payload.get("actions"))
    if actions.get("transferToAgent"):
        return f"Hands over to {one_line(str(actions['transferToAgent']), limit=_SHORT)}"
    return "Escalates to the agent above" if actions.get("escalate") is True else ""


def _request(payload: Mapping[str, Any]) -> str:
    actions = _object(payload.get("actions"))
    for name, words in (
        ("requestedAuthConfigs", "Asks for a credential"),
        ("requestedToolConfirmations", "Asks for a confirmation"),
        ("compaction", "Compacts earlier events"),
        ("rewindBeforeInvocationId", "Rewinds the session"),
    ):
        if actions.get(name):
            return words
    return ""


def _clauses(parts: Sequence[Any]) -> list[str]:
    """Return what the first parts say, as the beginning of a sentence: a text keeps its spelling."""
    said: list[str] = []
    for part in parts:
        clause = _part(part) if isinstance(part, Mapping) else ""
        if clause and not said and not _is_text(part):
            clause = clause[:1].upper() + clause[1:]
        if clause and len(said) < MAX_CLAUSES:
            said.append(clause)
    return said


def _is_text(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and bool(part["text"].strip())


def _join(clauses: Sequence[str]) -> str:
    """Return the clauses as one sentence; a clause that has an end of its own does not get a second one."""
    sentence = ""
    for clause in clauses:
        if not sentence:
            sentence = clause
        elif sentence[-1] in "?!":
            sentence = f"{sentence} {clause}"
        elif sentence[-1] in ".:" and not sentence.endswith(".."):
            sentence = f"{sentence[:-1]}; {clause}"
        else:
            sentence = f"{sentence}; {clause}"
    return sentence


def _part(part: Mapping[str, Any]) -> str:
    if _is_text(part):
        text = one_line(part["text"], limit=MAX_LENGTH)
        return f"Thinks: {text}" if part.get("thought") is True else text
    for name, say in _CLAUSES.items():
        if isinstance(part.get(name), Mapping):
            return say(part[name])
    return ""


def _answer(body: Mapping[str, Any]) -> str:
    tool = _tool(body)
    response = body.get("response")
    error = response.get("error") if isinstance(response, Mapping) else None
    if error:
        return f"tool {tool} failed: {_value(error)}"
    return f"tool {tool} answered"


def _media(body: Mapping[str, Any]) -> str:
    mime = one_line(str(body.get("mimeType") or "bytes"), limit=_SHORT)
    return f"sends {'an image' if mime.startswith('image/') else 'a file'} ({mime})"


def _tool(body: Mapping[str, Any]) -> str:
    return one_line(str(body.get("name") or body.get("toolType") or "without a name"), limit=_SHORT)


def _value(value: Any) -> str:
    return one_line(value, limit=_SHORT * 2) if isinstance(value, str) else compact_json(value, limit=_SHORT * 2)[0]


_CLAUSES: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "functionCall": lambda body: f"calls {_tool(body)}",
    "functionResponse": _answer,
    "toolCall": lambda body: f"calls {_tool(body)}",
    "toolResponse": _answer,
    "executableCode": lambda body: f"runs code ({visible_text(str(body.get('language') or 'language not given'))})",
    "codeExecutionResult": lambda body: f"code ended with {visible_text(str(body.get('outcome') or 'no outcome'))}",
    "inlineData": _media,
    "fileData": _media,
    "audioTranscription": lambda body: f"said: {one_line(str(body.get('text') or ''), limit=MAX_LENGTH)}",
}


def _rest(payload: Mapping[str, Any]) -> str:
    for name, words in (("inputTranscription", "Heard"), ("outputTranscription", "Said")):
        text = _object(payload.get(name)).get("text")
        if isinstance(text, str) and text:
            return f"{words}: {one_line(text, limit=MAX_LENGTH)}"
    if payload.get("output") is not None:
        return f"Gives out {_value(payload['output'])}"
    actions = _object(payload.get("actions"))
    if actions.get("route") is not None:
        return f"Takes the route {_value(actions['route'])}"
    saved = list(_object(actions.get("artifactDelta")))
    if saved:
        return f"Saves {', '.join(one_line(name, limit=_SHORT) for name in saved[:3])}"
    for name, words in (("interrupted", "Was interrupted"), ("turnComplete", "Ends the turn")):
        if payload.get(name) is True:
            return words
    return "Ends the agent's run" if actions.get("endOfAgent") is True else ""


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
