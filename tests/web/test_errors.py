from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.utils import OperationalError

from sessions_ui import wiring
from sessions_ui.views import errors
from statecore.core.actors import Actor
from statecore.models import Audit
from tests.web.page_reading import Page
from tests.web.session_builders import make_session, says, sign_in

if TYPE_CHECKING:
    from django.test import Client, RequestFactory

pytestmark = pytest.mark.django_db


def text_of(response: Any) -> str:
    return Page(response.content.decode()).text


@pytest.mark.parametrize("path", ["/nowhere", "/sessions/7/", f"/sessions/{10**18 - 1}/", f"/sessions/{'9' * 40}/"])
def test_unknown_address_is_a_404_with_a_next_step(client: Client, path: str) -> None:
    response = sign_in(client).get(path)
    assert response.status_code == 404
    assert "There is nothing here" in text_of(response)
    assert "/" in Page(response.content.decode()).values("href")


def test_stranger_gets_the_same_404_without_being_told_who_is_there(client: Client) -> None:
    response = client.get("/nowhere")
    assert response.status_code == 404
    assert "There is nothing here" in text_of(response)


def test_broken_query_is_a_400_that_says_what_is_wrong(client: Client) -> None:
    response = sign_in(client).get("/", {"after": "%%%"})
    assert response.status_code == 400
    assert "the address of this page of the list is broken" in text_of(response)


def test_refusal_that_is_nobodys_right_says_that_nothing_was_changed(rf: RequestFactory) -> None:
    response = errors.forbidden(rf.post("/"), PermissionDenied())
    assert response.status_code == 403
    assert "Nothing was changed" in text_of(response)


def test_strange_host_is_not_repeated(client: Client) -> None:
    response = client.get("/", headers={"host": "evil<b>.example"})
    assert response.status_code == 400
    assert "evil" not in response.content.decode()


def test_deleted_session_leaves_a_receipt_to_those_who_may_read_its_app(client: Client) -> None:
    session = make_session(says("hi"), says("bye"))
    wiring.service().delete_session(actor=Actor.operator("kim"), key=session.key)
    response = sign_in(client, app_name="shop").get(f"/sessions/{session.id}/events/1/")
    assert response.status_code == 410
    assert "by operator:kim, with 2 events." in text_of(response)
    stranger = sign_in(client, app_name="other")
    seen, unknown = stranger.get(f"/sessions/{session.id}/"), stranger.get("/sessions/7/")
    assert seen.status_code == unknown.status_code == 404
    assert seen.content == unknown.content
    denial = Audit.objects.get(outcome="denied")
    assert (denial.app_name, denial.session_ref) == ("shop", session.id)


def test_fragment_gets_the_message_alone(client: Client) -> None:
    response = sign_in(client).get("/sessions/7/", headers={"HX-Request": "true"})
    markup = response.content.decode()
    assert response.status_code == 404
    assert markup.startswith('<section class="problem"')
    assert "<html" not in markup


def test_errors_are_kept_by_nobody_and_show_no_trace(client: Client) -> None:
    for path in ("/nowhere", "/?after=x"):
        response = sign_in(client).get(path)
        assert response["Cache-Control"] == "no-store"
        assert "Traceback" not in response.content.decode()


def test_database_that_goes_away_is_a_503_for_everybody(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = sign_in(client)
    viewer.raise_request_exception = False

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("server closed the connection")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", refuse)
        for path in ("/", "/profile/", "/nowhere", "/login/"):
            response = viewer.get(path)
            assert (response.status_code, response["Retry-After"]) == (503, "5"), path
            assert "server closed" not in response.content.decode()
    assert viewer.get("/").status_code == 200
