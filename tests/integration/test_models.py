"""What models say of themselves, and the column type of our own."""

from __future__ import annotations

import uuid

import pytest
from django.contrib.auth.models import User

from sessions_ui.models import Grant, Setup
from statecore.models import Audit, Event, Hold, Job, Owner, Receipt, Session, State, StateChange, Subject

NAMES = {
    "app shop": Owner(app_name="shop"),
    "user of shop": Owner(app_name="shop", user_id="ana@example.com"),
    "session 7": Session(id=7, session_id="ana's trip"),
    "event #3 of session 7": Event(session_ref=7, seq=3),
    "key of owner 5": State(owner_ref=5, key="ana"),
    "change of owner 5 at 6": StateChange(owner_ref=5, position=6, key="ana"),
    "hold on session 7": Hold(session_ref=7),
    "receipt of session 7": Receipt(id=7, user_id="ana@example.com"),
    f"subject {uuid.UUID(int=1)}": Subject(id=uuid.UUID(int=1), user_id="ana@example.com"),
    "audit record 9": Audit(id=9),
    "sweep job 4": Job(id=4, kind="sweep"),
    "grant 2": Grant(pk=2, app_name="shop"),
    "setup": Setup(),
}


@pytest.mark.parametrize("name", NAMES)
def test_models_name_themselves_without_personal_data(name: str) -> None:
    assert str(NAMES[name]) == name


@pytest.mark.django_db
def test_verbatim_json_is_written_and_read_as_the_text_it_is() -> None:
    text = '{"b":1.0, "a":-0.0,"big":1e308}'
    State.objects.create(owner_ref=1, key="k", slot=1, position=0, value=text)
    assert State.objects.get(owner_ref=1, key="k", slot=1).value == text


@pytest.mark.django_db
def test_grant_of_a_person_goes_with_the_person() -> None:
    user = User.objects.create_user("kim")
    Grant.objects.create(user=user, app_name="shop", rights=["read"])
    user.delete()
    assert not Grant.objects.exists()
