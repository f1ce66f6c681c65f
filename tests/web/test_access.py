from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404

from sessions_ui import access
from sessions_ui.models import Grant
from statecore.models import Audit
from tests.web.page_reading import Page
from tests.web.session_builders import make_session, sign_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.test import Client

pytestmark = pytest.mark.django_db


def person(name: str = "kim", **grants: Iterable[str]) -> User:
    user = User.objects.create_user(name)
    for app_name, rights in grants.items():
        Grant.objects.create(user=user, app_name=app_name, rights=list(rights))
    return user


@pytest.fixture
def everywhere() -> User:
    user = person("lee")
    Grant.objects.create(user=user, app_name=access.ALL_APPS, rights=["read"])
    return user


def test_grant_gives_its_rights_in_its_app(everywhere: User) -> None:
    access.require(person(shop=["read", "hold"]), "hold", "shop")
    access.require(everywhere, "read", "anything")
    assert not Audit.objects.exists()


def test_rights_of_one_app_and_of_all_add_up(everywhere: User) -> None:
    Grant.objects.create(user=everywhere, app_name="shop", rights=["hold"])
    access.require(everywhere, "hold", "shop")
    access.require(everywhere, "read", "shop")
    with pytest.raises(access.MissingRightError):
        access.require(everywhere, "hold", "other")


@pytest.mark.parametrize("right", access.RIGHTS)
def test_each_right_is_given_by_its_own_name_and_by_all(right: str) -> None:
    access.require(person(shop=[right]), right, "shop")
    access.require(person("lee", shop=["all"]), right, "shop")
    for other in set(access.RIGHTS) - {right}:
        with pytest.raises(access.MissingRightError):
            access.require(User.objects.get(username="kim"), other, "shop")


def test_edit_stands_for_the_three_edits() -> None:
    assert access.expand(["edit"]) == {"edit_session", "edit_user", "edit_app"}
    assert access.expand(["all"]) == set(access.RIGHTS)
    assert access.expand(["fly", "read"]) == {"read"}


def test_roles_are_made_of_rights_and_each_holds_the_one_before() -> None:
    viewer, editor, admin = (access.expand(access.ROLES[name]) for name in ("viewer", "editor", "admin"))
    assert {"read"} == viewer < editor < admin == set(access.RIGHTS)


def test_without_a_grant_everything_is_unknown_and_the_denial_is_recorded() -> None:
    session = make_session()
    with pytest.raises(Http404):
        access.require(person(other=["all"]), "read", "shop", user_id="ana@example.com", session_id=session.id)
    record = Audit.objects.get()
    assert (record.actor, record.verb, record.outcome) == ("operator:kim", "read", "denied")
    assert (record.app_name, record.session_ref, record.origin) == ("shop", session.id, "page")


def test_missing_right_names_itself_and_who_can_give_it(everywhere: User) -> None:
    person("boss", shop=["manage"])
    person("other boss", other=["all"])
    person("gone", shop=["all"])
    User.objects.filter(username="gone").update(is_active=False)
    Grant.objects.create(user=person("chief"), app_name=access.ALL_APPS, rights=["all"])
    with pytest.raises(access.MissingRightError) as caught:
        access.require(everywhere, "hold", "shop")
    assert (caught.value.right, caught.value.app_name) == ("hold", "shop")
    assert caught.value.granters == ("boss", "chief")
    assert Audit.objects.get().verb == "hold"


def test_page_that_is_refused_names_the_right_and_who_can_give_it(client: Client) -> None:
    session = make_session()
    person("boss", shop=["manage"])
    response = sign_in(client, app_name="shop", rights=("export",)).get(f"/apps/{session.app_owner_id}/")
    assert response.status_code == 403
    text = Page(response.content.decode()).text
    assert "\u201cread\u201d in the app \u201cshop\u201d" in text
    assert "boss" in text


def test_superuser_flag_and_staff_flag_give_nothing() -> None:
    user = User.objects.create_superuser("root")
    assert access.visible_apps(user).is_empty
    with pytest.raises(Http404):
        access.require(user, "read", "shop")


def test_deactivated_and_anonymous_have_no_rights(everywhere: User) -> None:
    everywhere.is_active = False
    for user in (everywhere, AnonymousUser()):
        assert access.visible_apps(user).is_empty
        with pytest.raises(Http404):
            access.require(user, "read", "shop")


def test_reach_is_what_may_be_read(everywhere: User) -> None:
    reach = access.visible_apps(person(shop=["read"], bank=["all"], clinic=["export"]))
    assert not reach.is_everywhere
    assert reach.app_names == {"shop", "bank"}
    assert access.visible_apps(everywhere).is_everywhere


def test_grant_ends_with_its_row() -> None:
    user = person(shop=["read"])
    access.require(user, "read", "shop")
    Grant.objects.all().delete()
    with pytest.raises(Http404):
        access.require(user, "read", "shop")
