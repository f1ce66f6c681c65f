from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from statecore.core import spelling
from tests.web.page_reading import Page, read
from tests.web.session_builders import sign_in

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.fixture
def gallery(client: Client) -> Page:
    return read(sign_in(client).get("/gallery/"))


def test_gallery_has_an_example_of_every_name(gallery: Page) -> None:
    shown = gallery.values("data-example")
    for shape in (spelling.PART, spelling.EVENT, spelling.ACTIONS):
        assert shape.names <= set(shown)


def test_no_known_name_is_shown_as_raw_json(gallery: Page) -> None:
    assert not [value for value in gallery.values("class", "section") if "block-raw" in value]


def test_gallery_shows_each_kind_of_timeline_entry(gallery: Page) -> None:
    for words in (
        "State given when the session was created",
        "2 min 6 s pause",
        "Import correction after #10",
        "type changed from number to text",
        "clock goes backwards",
        "A big event of 5.0 MB, not loaded",
        "answered at #3",
        "no answer yet",
        "An event that no rule can put into words",
    ):
        assert words in gallery.text


def test_examples_are_masked_like_everything_else(gallery: Page) -> None:
    assert "shown as masked" not in gallery.everything_said


def test_markup_in_an_example_is_text(gallery: Page) -> None:
    assert "<b>This is text, not bold.</b>" in gallery.text


def test_stranger_is_asked_to_sign_in(client: Client) -> None:
    response = client.get("/gallery/")
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")
