"""The use cases that every door shares, on both stores."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from statecore.core.actors import Actor
from statecore.core.errors import SchemaError
from statecore.core.ids import OwnerKey, SessionKey
from statecore.core.schema import StateSchema
from statecore.models import Audit
from statecore.service.sessions import SessionService
from statecore.storage.memory import MemoryStore
from statecore.storage.postgres import DjangoConnections, PostgresStore

pytestmark = pytest.mark.django_db
ACTOR = Actor.process("test")


class Cart(BaseModel):
    """The state that an app declares."""

    cart: list[str]


@pytest.fixture(params=[MemoryStore, lambda: PostgresStore(DjangoConnections())], ids=["memory", "postgres"])
def service(request: pytest.FixtureRequest) -> SessionService:
    return SessionService(request.param(), schemas={"declared": StateSchema(session=Cart)})


def make(service: SessionService, state: dict[str, Any] | None = None, *, app_name: str = "shop") -> SessionKey:
    created = service.create_session(actor=ACTOR, app_name=app_name, user_id="ana", state=state)
    return created.session.key


def test_sessions_are_listed_by_app_and_user(service: SessionService) -> None:
    key = make(service)
    assert [session.key for session in service.list_sessions(app_name="shop", user_id="ana")] == [key]
    assert service.list_sessions(app_name="shop", user_id="bo") == []


def test_delete_leaves_a_receipt_and_shared_state(service: SessionService) -> None:
    key = make(service, {"user:plan": "pro", "step": 1})
    receipt = service.delete_session(actor=ACTOR, key=key, reason="asked for")
    assert receipt is not None
    assert (receipt.key, receipt.event_count) == (key, 0)
    assert service.delete_session(actor=ACTOR, key=key) is None
    assert service.get_owner_state(app_name="shop", user_id="ana").state == {"plan": "pro"}


def test_delete_is_audited_once_with_its_reason() -> None:
    service = SessionService(PostgresStore(DjangoConnections()))
    key = make(service)
    service.delete_session(actor=ACTOR, key=key, reason="asked for")
    service.delete_session(actor=ACTOR, key=key)
    record = Audit.objects.get(verb="delete")
    assert (record.actor, record.reason, record.app_name) == ("process:test", "asked for", "shop")


def test_history_goes_on_before_a_position(service: SessionService) -> None:
    key = make(service, {"user:plan": "free"})
    service.append_event(actor=ACTOR, key=key, payload={"actions": {"stateDelta": {"user:plan": "pro"}}})
    newest, oldest = service.list_history(target=OwnerKey("shop", "ana"), name="plan")
    page = service.list_history(target=OwnerKey("shop", "ana"), name="plan", before=newest.position)
    assert page == [oldest]
    assert [newest.change.value, oldest.change.value] == ["pro", "free"]


def test_declared_state_is_held_to_its_schema(service: SessionService) -> None:
    key = make(service, {"cart": ["tea"]}, app_name="declared")
    with pytest.raises(SchemaError, match=r"^cart"):
        service.append_event(actor=ACTOR, key=key, payload={"actions": {"stateDelta": {"cart": 5}}})
    with pytest.raises(SchemaError, match=r"^basket"):
        make(service, {"basket": []}, app_name="declared")
    session = service.get_session(key=key)
    assert session is not None
    assert (session.revision, session.state) == (0, {"cart": ["tea"]})
