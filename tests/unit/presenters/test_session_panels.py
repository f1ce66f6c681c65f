from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from sessions_ui.presenters.density_strip import MAX_BUCKETS, bucket_size, present_strip
from sessions_ui.presenters.event_page import choose_events
from sessions_ui.presenters.key_history import HistoryPage, count_text, present_history
from sessions_ui.presenters.records import FlaggedBucket, HeldValue, HistoryRecord, KeyRecord
from sessions_ui.presenters.session_header import HeaderRecord, present_header
from sessions_ui.presenters.state_panel import present_state
from statecore.core.delta import ChangeKind
from statecore.core.jsontext import dump_json
from statecore.core.masking import MASKED
from statecore.core.scopes import Scope

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def key(name: str, value: Any = 1, *, seq: int = 3, scope: Scope = Scope.SESSION, **more: Any) -> KeyRecord:
    facts: dict[str, Any] = {"position": seq * 2, "kind": ChangeKind.EVENT, "session_ref": 7, "session_name": "trip-7"}
    return KeyRecord(scope, name, HeldValue("value", dump_json(value), 10), seq=seq, **{**facts, **more})


def panel(*keys: KeyRecord, seq: int = 5, page_size: int = 200) -> list[Any]:
    return present_state(keys, session_ref=7, seq=seq, event_gid=900, page_size=page_size)


def test_state_is_told_by_scope_in_a_fixed_order() -> None:
    sections = panel(key("tier", scope=Scope.APP), key("step"), key("plan", scope=Scope.USER))
    assert [(each.scope, [row.key for row in each.rows]) for each in sections] == [
        (Scope.SESSION, ["step"]),
        (Scope.USER, ["user:plan"]),
        (Scope.APP, ["app:tier"]),
    ]


def test_keys_that_the_event_changed_are_lit() -> None:
    lit = key("here", seq=5)
    shared = key("plan", seq=5, scope=Scope.USER, position=900)
    sections = panel(key("before"), lit, shared)
    assert [row.key for section in sections for row in section.rows if row.is_lit] == ["here", "user:plan"]


def test_event_of_the_same_number_in_another_session_lights_nothing() -> None:
    sections = panel(key("plan", seq=5, scope=Scope.USER, position=800, session_ref=8))
    assert [row.is_lit for row in sections[1].rows] == [False]


def test_removed_key_is_shown_only_where_this_event_removed_it() -> None:
    gone = KeyRecord(Scope.SESSION, "gone", HeldValue("removed"), 10, 5, ChangeKind.EVENT, 7)
    assert [row.value.kind for row in panel(gone)[0].rows] == ["removed"]
    assert panel(gone, seq=6)[0].rows == ()


@pytest.mark.parametrize(
    ("more", "source", "session"),
    [
        ({}, "#3", None),
        ({"seq": 0, "kind": ChangeKind.BASELINE}, "baseline", None),
        ({"kind": ChangeKind.IMPORT_CORRECTION}, "import correction after #3", None),
        ({"session_ref": 8, "session_name": "trip-2", "scope": Scope.USER}, "#3 of trip-2", 8),
        ({"session_ref": 8, "session_name": "", "scope": Scope.USER}, "#3 of a deleted session", None),
        ({"kind": ChangeKind.OUTSIDE, "session_ref": None}, "an edit outside any session", None),
    ],
)
def test_each_key_says_what_set_it(more: dict[str, Any], source: str, session: int | None) -> None:
    (row,) = [row for section in panel(key("k", **more)) for row in section.rows]
    assert (row.source, row.source_session) == (source, session)


def test_long_scope_goes_on_at_its_last_key() -> None:
    section = panel(*[key(f"k{number}") for number in range(4)], page_size=3)[0]
    assert len(section.rows) == 3
    assert section.next_key == "k2"
    assert section.count_text == "3 keys shown, more follow"


def test_secret_and_big_values_do_not_reach_the_panel() -> None:
    big = KeyRecord(Scope.SESSION, "big", HeldValue("value", None, 5_000_000), 2, 1, ChangeKind.EVENT, 7)
    secret, large = panel(key("api_key", "hunter2"), big)[0].rows
    assert secret.value.text == MASKED
    assert (large.value.kind, large.value.text) == ("big", "5.0 MB")


def header(keys: tuple[KeyRecord, ...] = (), **more: Any) -> Any:
    facts: dict[str, Any] = {
        "id": 7,
        "app_name": "shop",
        "user_id": "ana@example.com",
        "session_id": "trip-7",
        "app_owner_id": 1,
        "user_owner_id": 2,
        "display_name": "",
        "revision": 3,
        "error_count": 0,
        "edit_count": 0,
        "origin": "created",
        "expire_rule": "policy",
        "create_time": NOW,
        "receive_time": NOW,
        "update_time": 1.0,
        "expire_time": NOW + timedelta(days=12),
        "hold_until": None,
    }
    return present_header(HeaderRecord(**{**facts, **more}), keys, now=NOW, zone=UTC)


def test_title_is_the_display_name_then_the_one_in_state_then_the_id() -> None:
    named = (key("__session_metadata__", {"displayName": "Tea order"}),)
    assert header(named, display_name="Oslo").title == "Oslo"
    assert header(named).title == "Tea order"
    assert header().title == "trip-7"
    assert header((key("__session_metadata__", ["odd"]),)).title == "trip-7"


def test_header_says_when_it_expires_and_which_rule_says_so() -> None:
    shown = header()
    assert (shown.expires.relative, shown.expire_rule) == ("in 12 d", "policy of the app")


def test_hold_is_shown_while_it_lasts() -> None:
    assert header(hold_until=NOW + timedelta(days=1)).hold.relative == "in 1 d"
    assert header(hold_until=NOW - timedelta(days=1)).hold is None


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ({}, 1155, 1204),
        ({"before": 251}, 201, 250),
        ({"after": 200}, 201, 250),
        ({"at": 214}, 189, 238),
        ({"at": 214, "after": 200}, 201, 250),
        ({"at": 0}, 1, 50),
        ({"before": 1}, 1, 50),
        ({"before": 10**9}, 1155, 1204),
        ({"after": 10**9}, 1155, 1204),
        ({"at": 10**9}, 1155, 1204),
    ],
)
def test_page_of_events_is_found_by_arithmetic(asked: dict[str, int], first: int, last: int) -> None:
    page = choose_events(1204, size=50, **asked)
    assert (page.first, page.last) == (first, last)


def test_pages_neither_skip_nor_repeat_in_either_direction() -> None:
    page = choose_events(1204, size=50)
    seen = [(page.first, page.last)]
    while page.has_older:
        page = choose_events(1204, size=50, before=page.first)
        seen.append((page.first, page.last))
    back = [(page.first, page.last)]
    while page.has_newer:
        page = choose_events(1204, size=50, after=page.last)
        back.append((page.first, page.last))
    assert seen[-1][0] == 1
    assert all(older[1] + 1 >= newer[0] for newer, older in pairwise(seen))
    assert back[-1][1] == 1204
    assert all(after[0] <= before[1] + 1 for before, after in pairwise(back))


def test_page_of_a_session_without_events_is_empty() -> None:
    page = choose_events(0, size=50)
    assert page.range_text == "0 of 0"
    assert not page.has_older
    assert not page.has_newer


def test_neighbours_of_the_selected_event_end_at_baseline_and_newest() -> None:
    assert (choose_events(9, size=5, at=0).older_seq, choose_events(9, size=5, at=0).newer_seq) == (None, 1)
    assert (choose_events(9, size=5).older_seq, choose_events(9, size=5).newer_seq) == (8, None)


@pytest.mark.parametrize("revision", [1, 7, 120, 121, 20_000])
def test_strip_covers_the_session_with_a_bounded_number_of_bars(revision: int) -> None:
    strip = present_strip([], revision=revision, first=1, last=1, error_count=0, edit_count=0)
    assert strip is not None
    assert len(strip.bars) <= MAX_BUCKETS
    assert strip.bars[0].first == 1
    assert strip.bars[-1].first + bucket_size(revision) > revision


def test_strip_says_in_words_what_it_draws() -> None:
    strip = present_strip([FlaggedBucket(0, 2, 1)], revision=240, first=191, last=240, error_count=2, edit_count=1)
    assert strip is not None
    assert strip.summary == "240 events, 2 errors, 1 edit; on screen: 191 to 240"
    assert [bar.title for bar in strip.marked] == ["events 1 to 4: 2 errors, 1 edit"]
    assert (strip.frame_x, strip.frame_width) == (760.0, 200.0)


def test_strip_lists_every_stretch_with_errors_or_edits() -> None:
    flagged = [FlaggedBucket(bucket, 1, 0) for bucket in range(0, 60, 2)]
    strip = present_strip(flagged, revision=20_000, first=1, last=50, error_count=30, edit_count=0)
    assert strip is not None
    listed = [bar.first for bar in (*strip.marked, *strip.more_marked)]
    assert listed == [bucket * bucket_size(20_000) + 1 for bucket in range(0, 60, 2)]
    assert 0 < len(strip.marked) < len(listed)


def test_session_without_events_has_no_strip() -> None:
    assert present_strip([], revision=0, first=1, last=0, error_count=0, edit_count=0) is None


def entry(position: int, **more: Any) -> HistoryRecord:
    facts: dict[str, Any] = {
        "seq": position // 2,
        "kind": ChangeKind.EVENT,
        "held": HeldValue("value", '"pro"', 5),
        "session_ref": 7,
        "session_name": "trip-7",
        "author": "agent",
        "event_time": 1796079885.0,
        "receive_time": NOW,
    }
    return HistoryRecord(position=position, **{**facts, **more})


@pytest.mark.parametrize(
    ("more", "source", "author", "is_edit"),
    [
        ({}, "#4", "agent", False),
        ({"author": "operator:kim"}, "#4", "operator:kim", True),
        ({"kind": ChangeKind.BASELINE, "author": None}, "baseline", "", False),
        ({"kind": ChangeKind.IMPORT_CORRECTION, "author": None}, "import correction after #4", "", False),
        ({"kind": ChangeKind.OUTSIDE, "author": None}, "edit outside any session", "", True),
    ],
)
def test_history_names_what_wrote(more: dict[str, Any], source: str, author: str, is_edit: bool) -> None:
    (row,) = present_history([entry(8, **more)], "plan", now=NOW, zone=UTC)
    assert (row.source, row.author, row.is_edit) == (source, author, is_edit)


def test_history_of_a_deleted_session_keeps_the_value_and_links_nowhere() -> None:
    gone = entry(8, session_name=None, author=None, event_time=None, receive_time=None)
    (row,) = present_history([gone], "plan", now=NOW, zone=UTC)
    assert (row.session_ref, row.session_name, row.time) == (None, "deleted session", None)
    assert row.value.text == '"pro"'


def test_history_pages_both_ways() -> None:
    five = [entry(position) for position in (10, 8, 6, 4, 2)]
    newest = HistoryPage.cut(five[:3], size=2, before=None, after=None)
    assert (newest.newer, newest.older) == (None, 8)
    middle = HistoryPage.cut(five[2:5], size=2, before=8, after=None)
    assert (middle.newer, middle.older) == (6, 4)
    back = HistoryPage.cut(five[1:4], size=2, before=None, after=2)
    assert [each.position for each in back.records] == [6, 4]
    assert (back.newer, back.older) == (6, 4)
    assert HistoryPage.cut([], size=2, before=1, after=None) == HistoryPage((), None, None)


def test_count_is_exact_up_to_its_limit() -> None:
    assert count_text(10_000, limit=10_000) == "10,000"
    assert count_text(10_001, limit=10_000) == "more than 10,000"
