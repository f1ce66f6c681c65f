"""Calls and their responses, matched by id within the events at hand (by name where a call has no id)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_CALLS: Final = {"functionCall": "functionResponse", "toolCall": "toolResponse"}
_ANSWERS: Final = {answer: call for call, answer in _CALLS.items()}


@dataclass(slots=True)
class Pair:
    """Where a call was made and answered, by seq. More than one of either is odd, unless the answer is a stream."""

    calls: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class PairNote:
    """What to say beside a call or an answer, and the event to go to (None: nowhere)."""

    text: str
    seq: int | None = None
    is_odd: bool = False


class CallPairs:
    """The pairs among events ``first`` to ``last`` of a session of ``revision`` events."""

    def __init__(self, *, first: int, last: int, revision: int) -> None:
        self._first, self._last, self._revision = first, last, revision
        self._pairs: dict[tuple[str, str], Pair] = defaultdict(Pair)

    def add(self, seq: int, parts: Iterable[Any]) -> None:
        """Take note of the calls and answers among an event's parts. Events come in order of seq."""
        for kind, body in _bodies(parts):
            pair = self._pairs[_identity(kind, body)]
            if kind in _CALLS:
                pair.calls.append(seq)
            else:
                pair.answers.append(seq)
                pair.is_stream = pair.is_stream or body.get("willContinue") is True

    def note(self, seq: int, kind: str, body: Mapping[str, Any]) -> PairNote:
        """Return what to say beside the call or answer ``body`` of event ``seq``."""
        pair = self._pairs[_identity(kind, body)]
        if not body.get("id"):
            return self._note_by_name(seq, kind, pair)
        return self._note_call(seq, pair) if kind in _CALLS else self._note_answer(pair)

    def _note_call(self, seq: int, pair: Pair) -> PairNote:
        if len(pair.calls) > 1:
            return PairNote(f"the same call id at {_places(pair.calls)}", _other(pair.calls, seq), is_odd=True)
        if not pair.answers:
            near = "no answer yet" if self._last >= self._revision else f"no answer up to #{self._last}"
            return PairNote(near, is_odd=True)
        if len(pair.answers) > 1 and not pair.is_stream:
            return PairNote(
                f"answered {len(pair.answers)} times: {_places(pair.answers)}", pair.answers[0], is_odd=True
            )
        return PairNote(f"answered at #{pair.answers[0]}", pair.answers[0])

    def _note_answer(self, pair: Pair) -> PairNote:
        if not pair.calls:
            near = "answers no call of this session" if self._first <= 1 else f"answers no call from #{self._first} on"
            return PairNote(near, is_odd=True)
        if len(pair.answers) > 1 and not pair.is_stream:
            other = f"one of {len(pair.answers)} answers ({_places(pair.answers)}) to the call at #{pair.calls[0]}"
            return PairNote(other, pair.calls[0], is_odd=True)
        return PairNote(f"answers the call at #{pair.calls[0]}", pair.calls[0])

    def _note_by_name(self, seq: int, kind: str, pair: Pair) -> PairNote:
        """Without ids the n-th answer of a name belongs to its n-th call."""
        mine, theirs = (pair.calls, pair.answers) if kind in _CALLS else (pair.answers, pair.calls)
        place = mine.index(seq)
        if place >= len(theirs):
            return PairNote("no answer, and no id to find it by" if kind in _CALLS else "answers no call", is_odd=True)
        word = "answered" if kind in _CALLS else "answers the call"
        return PairNote(f"{word} at #{theirs[place]} (by name, for want of an id)", theirs[place])


def _bodies(parts: Iterable[Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for part in parts:
        if isinstance(part, Mapping):
            for kind in (*_CALLS, *_ANSWERS):
                body = part.get(kind)
                if isinstance(body, Mapping):
                    yield kind, body


def _identity(kind: str, body: Mapping[str, Any]) -> tuple[str, str]:
    call = _ANSWERS.get(kind, kind)
    if body.get("id"):
        return call, f"id {body['id']}"
    return call, f"name {body.get('name', body.get('toolType', ''))}"


def _places(seqs: list[int]) -> str:
    return ", ".join(f"#{seq}" for seq in seqs[:4]) + (" ..." if len(seqs) > 4 else "")


def _other(seqs: list[int], seq: int) -> int:
    return next((each for each in seqs if each != seq), seq)
