"""What every door relies on: hostile input is refused by the name of its field, and nothing of it is written."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from statecore.core.actors import Actor
from statecore.core.errors import InvalidIdError, InvalidInputError, TooLargeError
from statecore.core.ids import OwnerKey, SessionKey
from statecore.core.limits import Limits
from statecore.core.sessions import EventWindow
from statecore.models import Audit
from statecore.service.sessions import SessionService
from statecore.storage.memory import MemoryStore
from statecore.storage.postgres import DjangoConnections, PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

pytestmark = pytest.mark.django_db

ACTOR = Actor.process("test")
KEY = SessionKey("shop", "ana", "trip")
UNSTORABLE = ["\0", "a\0b", "\ud800", "a\udfffb"]
NO_IDS = [*UNSTORABLE, "", "x" * 129, "\x7f", 5, b"x"]

ACTS: dict[str, Any] = {
    "get": lambda service, key: service.get_session(key=key),
    "append": lambda service, key: service.append_event(actor=ACTOR, key=key, payload={"author": "agent"}),
    "append partial": lambda service, key: service.append_event(actor=ACTOR, key=key, payload={"partial": True}),
    "delete": lambda service, key: service.delete_session(actor=ACTOR, key=key),
    "state at": lambda service, key: service.get_state_at(key=key, seq=0),
    "history": lambda service, key: service.list_history(target=key, name="step"),
}


@pytest.fixture(params=[MemoryStore, lambda: PostgresStore(DjangoConnections())], ids=["memory", "postgres"])
def service(request: pytest.FixtureRequest) -> SessionService:
    made = SessionService(request.param())
    made.create_session(
        actor=ACTOR, app_name=KEY.app_name, user_id=KEY.user_id, session_id=KEY.session_id, state={"step": 1}
    )
    return made


@pytest.mark.parametrize("act", ACTS.values(), ids=list(ACTS))
@pytest.mark.parametrize("bad", NO_IDS)
@pytest.mark.parametrize("field", ["app_name", "user_id", "session_id"])
def test_ids_are_checked_by_every_use_case(service: SessionService, act: Any, field: str, bad: Any) -> None:
    key = SessionKey(**{**{name: getattr(KEY, name) for name in KEY.__slots__}, field: bad})
    with pytest.raises(InvalidIdError) as error:
        act(service, key)
    assert error.value.path == field
    str(error.value).encode()


@pytest.mark.parametrize("act", ACTS.values(), ids=list(ACTS))
def test_session_ids_lose_white_space_in_every_use_case(service: SessionService, act: Any) -> None:
    found = act(service, SessionKey(KEY.app_name, KEY.user_id, " trip\n"))
    assert found is not None or act is ACTS["append partial"]


@pytest.mark.parametrize("bad", NO_IDS)
def test_names_of_apps_and_users_are_checked_by_every_list(service: SessionService, bad: Any) -> None:
    acts: list[Callable[[], object]] = [
        lambda: service.list_sessions(app_name=bad),
        lambda: service.list_sessions(app_name="shop", user_id=bad),
        lambda: service.get_owner_state(app_name=bad),
        lambda: service.get_owner_state(app_name="shop", user_id=bad),
        lambda: service.list_history(target=OwnerKey(bad), name="step"),
        lambda: service.list_history(target=OwnerKey("shop", bad), name="step"),
        lambda: service.create_session(actor=ACTOR, app_name="shop", user_id="ana", session_id=bad or "\0"),
        lambda: service.record_denial(actor=ACTOR, right="read", owner=OwnerKey("shop", bad)),
    ]
    for act in acts:
        with pytest.raises(InvalidIdError):
            act()


@pytest.mark.parametrize("bad", UNSTORABLE)
def test_text_that_cannot_be_stored_is_refused_by_name(service: SessionService, bad: str) -> None:
    acts: dict[str, Callable[[], object]] = {
        "key": lambda: service.list_history(target=KEY, name=bad),
        "reason": lambda: service.delete_session(actor=ACTOR, key=KEY, reason=bad),
        "actor": lambda: service.delete_session(actor=Actor.operator(bad), key=KEY),
        "right": lambda: service.record_denial(actor=ACTOR, right=bad, owner=OwnerKey("shop")),
        "origin": lambda: service.record_denial(actor=ACTOR, right="read", owner=OwnerKey("shop"), origin=bad),
    }
    for path, act in acts.items():
        with pytest.raises(InvalidInputError) as error:
            act()
        assert error.value.path == path
    assert service.get_session(key=KEY) is not None
    assert not Audit.objects.exists()


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"display_name": None}, "display_name"),
        ({"display_name": 5}, "display_name"),
        ({"display_name": "x" * 1025}, "display_name"),
        ({"labels": {"team": 1}}, "labels.team"),
        ({"labels": {"team": {"a": "b"}}}, "labels.team"),
        ({"labels": {"team": Decimal("1E-999999999999999")}}, "labels.team"),
        ({"labels": {f"label-{number}": "x" for number in range(65)}}, "labels"),
        ({"labels": {"team": "x" * 1025}}, "labels.team"),
        ({"labels": {"x" * 1025: "blue"}}, "labels"),
        ({"state": {"big": ["x" * 2000] * 6}}, "state"),
        ({"state": {f"key-{number}": 1 for number in range(11)}}, "state"),
    ],
)
def test_what_does_not_fit_a_header_or_a_baseline_is_refused_by_name(given: Mapping[str, Any], path: str) -> None:
    service = SessionService(PostgresStore(DjangoConnections()), limits=Limits(body_bytes=10_000, delta_keys=10))
    with pytest.raises(InvalidInputError) as error:
        service.create_session(actor=ACTOR, app_name="shop", user_id="ana", session_id="new", **given)
    assert error.value.path == path
    assert service.get_session(key=SessionKey("shop", "ana", "new")) is None


@pytest.mark.parametrize("size", [4000, 6000])
def test_event_over_the_size_of_a_body_is_refused_whatever_it_is_made_of(size: int) -> None:
    service = SessionService(MemoryStore(), limits=Limits(body_bytes=10_000, value_bytes=7000))
    service.create_session(actor=ACTOR, app_name="shop", user_id="ana", session_id="trip")
    with pytest.raises(TooLargeError) as error:
        service.append_event(actor=ACTOR, key=KEY, payload={"author": "agent", "zz": ["é" * (size // 2)] * 3})
    assert error.value.path == "event"


@pytest.mark.parametrize(
    "window",
    [
        EventWindow(-1),
        EventWindow(True),
        EventWindow(1.5),  # type: ignore[arg-type]  # as an untyped program would
        EventWindow(None, float("nan")),
        EventWindow(None, float("inf")),
        EventWindow(None, 10**400),
        EventWindow(None, "x"),  # type: ignore[arg-type]  # as an untyped program would
    ],
)
def test_window_that_is_none_is_refused(service: SessionService, window: EventWindow) -> None:
    with pytest.raises(InvalidInputError):
        service.get_session(key=KEY, window=window)


def test_window_after_an_exact_number_is_that_of_its_float(service: SessionService) -> None:
    service.append_event(actor=ACTOR, key=KEY, payload={"author": "agent", "timestamp": 5})
    for after in (5, Decimal("1e-400")):
        session = service.get_session(key=KEY, window=EventWindow(None, after))  # type: ignore[arg-type]  # untyped
        assert session is not None
        assert len(session.events) == 1


@pytest.mark.parametrize("limit", [0, -1, -(10**30), True])
def test_page_of_a_history_has_at_least_one_row(service: SessionService, limit: int) -> None:
    with pytest.raises(InvalidInputError, match="limit"):
        service.list_history(target=KEY, name="step", limit=limit)


@pytest.mark.parametrize("number", [True, 0.5, "1", -1])
def test_numbers_of_events_are_whole_numbers(service: SessionService, number: Any) -> None:
    with pytest.raises(InvalidInputError, match="at"):
        service.get_state_at(key=KEY, seq=number)
    with pytest.raises(InvalidInputError, match="expected_revision"):
        service.append_event(actor=ACTOR, key=KEY, payload={"author": "agent"}, expected_revision=number)


def test_any_mapping_is_an_object(service: SessionService) -> None:
    frozen = MappingProxyType({"b": MappingProxyType({"c": 1})})
    service.append_event(actor=ACTOR, key=KEY, payload={"author": "agent", "actions": {"stateDelta": {"a": frozen}}})
    session = service.get_session(key=KEY)
    assert session is not None
    assert session.state == {"step": 1, "a": {"b": {"c": 1}}}
