from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from sessions_ui import wiring
from statecore.core.sessions import Origin
from statecore.models import Audit, Session
from tests.web.page_reading import read, region, texts
from tests.web.session_builders import append, edits, make_session, says, sign_in, store_recorded, writes

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

pytestmark = pytest.mark.django_db

# Login session, person, grants; header, state, events, changes.
PAGE_QUERIES = 7


@pytest.fixture
def viewer(client: Client) -> Client:
    return sign_in(client)


def page_of(viewer: Client, session_ref: int, query: str = "", **more: Any) -> Any:
    return viewer.get(f"/sessions/{session_ref}/{query}", **more)


def key_rows(viewer: Client, session_ref: int, query: str = "") -> list[str]:
    """The rows of the state panel: key, value, source."""
    return texts(page_of(viewer, session_ref, query).content.decode(), "key-row")


def test_session_page_shows_header_timeline_and_state(viewer: Client) -> None:
    session = make_session(says("Where is my order?"), state={"step": 1}, display_name="Trip to Oslo")
    page = read(page_of(viewer, session.id))
    for word in ("Trip to Oslo", session.key.session_id, "ana@example.com", "Where is my order?", "365 days from"):
        assert word in page.text


def test_page_title_holds_no_personal_data(viewer: Client) -> None:
    session = make_session(display_name="Ana Nilsen")
    markup = page_of(viewer, session.id).content.decode()
    title = markup[markup.index("<title>") : markup.index("</title>")]
    assert str(session.id) in title
    assert "Ana" not in title
    assert "ana@" not in title


def test_session_page_opens_on_its_newest_events(viewer: Client) -> None:
    session = make_session(*[says(f"word {number}.") for number in range(1, 121)])
    page = read(page_of(viewer, session.id))
    assert "71\u2013120 of 120" in page.text
    assert "word 120." in page.text
    assert "word 70." not in page.text


def test_older_and_newer_lead_through_all_events_and_back(viewer: Client) -> None:
    session = make_session(*[says(f"word {number}.") for number in range(1, 121)])
    page = read(page_of(viewer, session.id, "?before=71"))
    assert "21\u201370 of 120" in page.text
    assert "?before=21" in page.values("href")
    assert "?after=70" in page.values("href")


def test_events_appended_meanwhile_move_no_page(viewer: Client) -> None:
    session = make_session(*[says(f"word {number}.") for number in range(1, 121)])
    append(session.key, says("late"))
    assert "21\u201370 of 121" in read(page_of(viewer, session.id, "?before=71")).text


def test_state_is_as_of_the_selected_event(viewer: Client) -> None:
    session = make_session(writes({"plan": "free", "user:lang": "nb"}), writes({"plan": "pro"}), state={"plan": "none"})
    assert key_rows(viewer, session.id, "?at=0") == ['plan "none" baseline changed here']
    assert key_rows(viewer, session.id, "?at=1") == ['plan "free" #1 changed here', 'user:lang "nb" #1 changed here']
    assert key_rows(viewer, session.id, "?at=2") == ['plan "pro" #2 changed here', 'user:lang "nb" #1']


def test_shared_value_written_elsewhere_says_where(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "free"}))
    make_session(writes({"user:plan": "pro"}), session_id="elsewhere")
    assert key_rows(viewer, session.id) == ['user:plan "pro" #1 of elsewhere']
    assert key_rows(viewer, session.id, "?at=1") == ['user:plan "free" #1 changed here']


def test_value_of_a_deleted_session_stays_and_leads_nowhere(viewer: Client) -> None:
    session = make_session(says("hi"))
    gone = make_session(writes({"app:tier": "flash"}), user_id="kim")
    wiring.store().delete_session(gone.key, rule="given", actor="process:test")
    assert key_rows(viewer, session.id) == ['app:tier "flash" #1 of a deleted session']


def test_old_value_of_a_shared_key_is_the_one_another_session_wrote(viewer: Client) -> None:
    first = make_session(writes({"user:plan": "free"}))
    append(make_session(session_id="between").key, writes({"user:plan": "basic"}))
    append(first.key, writes({"user:plan": "pro"}))
    assert 'user:plan went from "basic" to "pro"' in read(page_of(viewer, first.id)).text


def test_removed_null_and_absent_look_different(viewer: Client) -> None:
    session = make_session(
        writes({"note": None}), edits(removes=["plan"]), says("hi"), state={"plan": "pro"}, origin=Origin.IMPORTED
    )
    page = read(page_of(viewer, session.id))
    assert "note was set to null" in page.text
    assert "plan was removed" in page.text
    assert key_rows(viewer, session.id, "?at=2") == ["note null #1", "plan removed #2 changed here"]
    assert key_rows(viewer, session.id) == ["note null #1"]


def test_import_correction_is_an_entry_of_the_timeline(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "request-input.replay.json")
    assert "Import correction after #11" in read(page_of(viewer, session.id)).text
    (draft,) = [row for row in key_rows(viewer, session.id) if row.startswith("draft ")]
    assert "Regarding Your Phone Issue" in draft
    assert "import correction after #11" in draft


def test_order_of_events_is_the_order_of_the_file(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "denim-skirt.session.json")
    page = read(page_of(viewer, session.id))
    seqs = [value for value in page.values("id", "li") if value.startswith("e")]
    assert seqs == [f"e{number}" for number in range(session.revision + 1)]
    assert "clock goes backwards" in page.text


def test_neither_api_key_nor_credential_is_anywhere(viewer: Client, real_sessions: Path) -> None:
    session = store_recorded(real_sessions / "auth-credential.replay.json")
    paths = ["", "?at=3", *(f"events/{seq}/" for seq in range(1, 6))]
    paths += [f"events/{seq}/branch?pointer=/content" for seq in (1, 2, 3, 5)]
    for path in paths:
        said = read(page_of(viewer, session.id, path)).everything_said
        assert "placeholder" not in said, path
        assert "12345678" not in said, path
    for seq in range(1, 6):
        text = page_of(viewer, session.id, f"events/{seq}/json").content.decode()
        assert "placeholder" not in text
        assert "12345678" not in text
    assert "weather_api_key" in page_of(viewer, session.id, "events/2/json").content.decode()


def test_operators_edit_is_marked(viewer: Client) -> None:
    session = make_session(edits(sets={"plan": "pro"}), origin=Origin.IMPORTED)
    markup = page_of(viewer, session.id).content.decode()
    assert "is-edit" in region(markup, "e1")
    assert "operator:kim" in region(markup, "e1")


def chips_of(viewer: Client, session_ref: int) -> list[str]:
    return texts(page_of(viewer, session_ref).content.decode(), "chip")


def test_session_that_was_all_imported_says_so_once(viewer: Client) -> None:
    session = make_session(says("one"), says("two"), origin=Origin.IMPORTED)
    assert chips_of(viewer, session.id).count("imported") == 1


def test_session_that_went_on_after_its_import_says_which_events_are_imported(viewer: Client) -> None:
    session = make_session(says("one"), says("two"), origin=Origin.IMPORTED)
    append(session.key, says("three"))
    page = page_of(viewer, session.id).content.decode()
    assert ["imported" in row for row in texts(page, "entry-event")] == [True, True, False]


def test_event_page_says_that_its_event_is_imported(viewer: Client) -> None:
    session = make_session(says("one"), origin=Origin.IMPORTED)
    page = viewer.get(f"/sessions/{session.id}/events/1/").content.decode()
    assert "imported" in texts(page, "chip")


def test_shared_keys_of_an_imported_event_are_said_to_be_not_applied(viewer: Client) -> None:
    session = make_session(writes({"user:plan": "pro", "step": 1}), origin=Origin.IMPORTED)
    rows = texts(page_of(viewer, session.id).content.decode(), "delta-row")
    assert rows == [
        "+ added session step absent \u2192 to 1",
        '+ added user user:plan absent \u2192 to "pro" not applied to shared state',
    ]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "{{ 7|add:7 }}", "{% include x %}", "<b>bold</b>"])
def test_values_are_text_and_never_markup(viewer: Client, text: str) -> None:
    session = make_session(says(text), writes({text: text, "plain": text}), display_name=text)
    page = read(page_of(viewer, session.id))
    assert text in page.text
    assert not [value for tag, _, value in page.attributes if tag == "script" and "alert" in value]
    assert "<b>" not in page.markup.replace('<b class="mono">', "")


def test_bidi_override_reaches_no_page(viewer: Client) -> None:
    session = make_session(says("abc\u202edef"), writes({"k\u202e": "v\u202e"}), display_name="name\u2066")
    for path in ("", "events/1/", "events/2/", "events/2/json", "history?key=k%E2%80%AE"):
        text = page_of(viewer, session.id, path).content.decode()
        assert not {"\u202e", "\u2066"} & set(text), path


@pytest.mark.parametrize(
    "key", ["", "a/b", "../..", "#", "?x=1&y", "100%", "\U0001f642", "app:", "user:app:y", "key\u05d0"]
)
def test_strange_key_has_a_history_that_its_link_leads_to(viewer: Client, key: str) -> None:
    session = make_session(writes({key: "value-of-it"}))
    page = read(page_of(viewer, session.id))
    (link,) = {value for value in page.values("href") if "/history?" in value}
    assert "value-of-it" in read(viewer.get(link)).text


def test_big_values_and_payloads_are_named_and_not_loaded(viewer: Client) -> None:
    session = make_session(says("x" * 200_000), writes({"big": "y" * 200_000}), state={"base": "z" * 200_000})
    response = page_of(viewer, session.id)
    page = read(response)
    assert len(response.content) < 40_000
    assert "A big message of 200 KB, not loaded" in page.text
    assert f"/sessions/{session.id}/value?key=base" in page.values("href")


def test_event_without_anything_known_still_has_a_row(viewer: Client) -> None:
    session = make_session({"weird": {"deep": [1]}})
    assert '{"weird":{"deep":[1]}}' in read(page_of(viewer, session.id)).text


def test_session_without_events_says_so(viewer: Client) -> None:
    session = make_session(state={"step": 1})
    page = read(page_of(viewer, session.id))
    assert "No events yet" in page.text
    assert "State given when the session was created" in page.text


@pytest.mark.parametrize("target", ["timeline", "state"])
@pytest.mark.parametrize("query", ["", "?at=2", "?before=3&at=1"])
def test_fragment_is_the_same_region_of_its_page(viewer: Client, target: str, query: str) -> None:
    session = make_session(*[writes({f"k{number}": number, "user:n": number}) for number in range(4)])
    whole = page_of(viewer, session.id, query).content.decode()
    part = page_of(viewer, session.id, query, headers={"HX-Request": "true", "HX-Target": target})
    assert part.content.decode().strip() == region(whole, target)


def test_pages_are_kept_by_nobody(viewer: Client) -> None:
    response = page_of(viewer, make_session(says("hi")).id)
    assert response["Cache-Control"] == "no-store"
    assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("query", ["?at=x", "?at=-1", "?before=1.5", "?after=" + "9" * 30])
def test_cursor_that_is_no_number_is_a_bad_request(viewer: Client, query: str) -> None:
    assert page_of(viewer, make_session(says("hi")).id, query).status_code == 400


def test_event_that_does_not_exist_is_not_found(viewer: Client) -> None:
    assert page_of(viewer, make_session(says("hi")).id, "?at=2").status_code == 404


def test_unknown_session_is_not_found(viewer: Client) -> None:
    assert page_of(viewer, 4096 * 10**9).status_code == 404


@pytest.mark.parametrize("count", [1, 50])
def test_number_of_queries_does_not_grow_with_the_events(
    viewer: Client, count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    events = [writes({f"k{number}": number, "user:plan": number}, errorCode="X") for number in range(count)]
    session = make_session(*events, state={"a": 1})
    page_of(viewer, session.id)
    with django_assert_num_queries(PAGE_QUERIES):
        page_of(viewer, session.id)


def test_more_keys_than_a_page_go_on(viewer: Client) -> None:
    session = make_session(state={f"k{number:03}": number for number in range(250)})
    page = read(page_of(viewer, session.id))
    assert "200 keys shown, more follow" in page.text
    (link,) = [value for value in page.values("href") if "keys=" in value]
    rows = key_rows(viewer, session.id, link.removesuffix("#state"))
    assert len(rows) == 50
    assert rows[-1] == "k249 249 baseline"


def test_expired_session_is_gone_from_all_its_pages(viewer: Client) -> None:
    session = make_session(writes({"step": 1}))
    Session.objects.filter(id=session.id).update(expire_time=datetime(2020, 1, 1, tzinfo=UTC))
    for path in ("", "events/1/", "events/1/json", "history?key=step", "value?key=step"):
        assert page_of(viewer, session.id, path).status_code == 404, path


PAGES = (
    "",
    "events/1/",
    "events/1/json",
    "events/1/branch?pointer=/author",
    "events/1/parts/0/",
    "events/1/parts/0/data",
    "history?key=step",
    "value?key=step",
)


@pytest.mark.parametrize("path", PAGES)
def test_session_of_an_app_without_a_grant_looks_unknown_and_is_recorded(client: Client, path: str) -> None:
    session = make_session(writes({"step": 1}))
    stranger = sign_in(client, app_name="another")
    seen, unknown = page_of(stranger, session.id, path), page_of(stranger, session.id + 4096 * 10**6, path)
    assert seen.status_code == unknown.status_code == 404
    assert seen.content == unknown.content
    denial = Audit.objects.get(outcome="denied")
    assert (denial.session_ref, denial.app_name) == (session.id, "shop")


@pytest.mark.parametrize("path", PAGES)
def test_grant_without_the_right_to_read_is_refused_by_name(client: Client, path: str) -> None:
    session = make_session(writes({"step": 1}))
    response = page_of(sign_in(client, app_name="shop", rights=("export",)), session.id, path)
    assert response.status_code == 403
    assert "read" in response.content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_stranger_is_asked_to_sign_in(client: Client, path: str) -> None:
    response = page_of(client, make_session(writes({"step": 1})).id, path)
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


def test_timestamps_at_both_ends_of_the_numbers_are_a_pause_of_years(viewer: Client) -> None:
    session = make_session(*[{**says("hi"), "timestamp": moment} for moment in (-1e308, 1e308, 0, 5e-324, 1e308)])
    page = read(viewer.get(f"/sessions/{session.id}/"))
    assert "more than 9,999 years pause" in page.text


@pytest.mark.parametrize("after", ["\0", "user:a\0b"])
def test_keys_after_what_no_key_can_be_are_a_broken_address(viewer: Client, after: str) -> None:
    session = make_session(says("hi"))
    assert viewer.get(f"/sessions/{session.id}/", {"keys": after}).status_code == 400
