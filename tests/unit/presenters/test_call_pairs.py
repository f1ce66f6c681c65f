from __future__ import annotations

from typing import Any

from sessions_ui.presenters.call_pairs import CallPairs


def call(identity: str | None, name: str = "lookup") -> dict[str, Any]:
    return {"functionCall": {"id": identity, "name": name, "args": {}}}


def answer(identity: str | None, name: str = "lookup", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": identity, "name": name, "response": {}, **more}}


def pairs_of(*events: list[dict[str, Any]], first: int = 1, revision: int | None = None) -> CallPairs:
    last = first + len(events) - 1
    pairs = CallPairs(first=first, last=last, revision=revision or last)
    for seq, parts in enumerate(events, first):
        pairs.add(seq, parts)
    return pairs


def note(pairs: CallPairs, seq: int, part: dict[str, Any]) -> tuple[str, int | None, bool]:
    ((kind, body),) = part.items()
    found = pairs.note(seq, kind, body)
    return found.text, found.seq, found.is_odd


def test_call_and_answer_lead_to_each_other() -> None:
    pairs = pairs_of([call("a")], [answer("a")])
    assert note(pairs, 1, call("a")) == ("answered at #2", 2, False)
    assert note(pairs, 2, answer("a")) == ("answers the call at #1", 1, False)


def test_call_without_answer_is_flagged_with_how_far_was_looked() -> None:
    assert note(pairs_of([call("a")]), 1, call("a")) == ("no answer yet", None, True)
    assert note(pairs_of([call("a")], revision=900), 1, call("a")) == ("no answer up to #1", None, True)


def test_answer_without_call_is_flagged_with_how_far_was_looked() -> None:
    assert note(pairs_of([answer("a")]), 1, answer("a")) == ("answers no call of this session", None, True)
    assert note(pairs_of([answer("a")], first=90), 90, answer("a")) == ("answers no call from #90 on", None, True)


def test_second_answer_is_flagged_on_both_sides() -> None:
    pairs = pairs_of([call("a")], [answer("a")], [answer("a")])
    assert note(pairs, 1, call("a")) == ("answered 2 times: #2, #3", 2, True)
    assert note(pairs, 3, answer("a")) == ("one of 2 answers (#2, #3) to the call at #1", 1, True)


def test_streamed_answer_may_come_in_pieces() -> None:
    pairs = pairs_of([call("a")], [answer("a", willContinue=True)], [answer("a")])
    assert note(pairs, 1, call("a")) == ("answered at #2", 2, False)
    assert note(pairs, 3, answer("a")) == ("answers the call at #1", 1, False)


def test_repeated_call_id_is_flagged_with_the_other_place() -> None:
    pairs = pairs_of([call("a")], [call("a")])
    assert note(pairs, 2, call("a")) == ("the same call id at #1, #2", 1, True)


def test_calls_without_id_are_matched_by_name_in_order() -> None:
    pairs = pairs_of([call(None)], [call(None)], [answer(None)])
    assert note(pairs, 1, call(None)) == ("answered at #3 (by name, for want of an id)", 3, False)
    assert note(pairs, 2, call(None)) == ("no answer, and no id to find it by", None, True)


def test_answer_without_id_and_call_is_flagged() -> None:
    assert note(pairs_of([answer(None)]), 1, answer(None)) == ("answers no call", None, True)


def test_built_in_tools_are_paired_apart_from_functions() -> None:
    tool = {"toolCall": {"id": "a", "toolType": "SEARCH"}}
    pairs = pairs_of([tool], [answer("a")])
    assert note(pairs, 1, tool) == ("no answer yet", None, True)


def test_parts_that_are_no_objects_are_passed_over() -> None:
    pairs = CallPairs(first=1, last=1, revision=1)
    pairs.add(1, ["text", None, {"functionCall": "not an object"}])
    assert note(pairs, 1, call("a"))[0] == "no answer yet"
