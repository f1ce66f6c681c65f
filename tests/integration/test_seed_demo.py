"""The demo: made through the service, large enough to look like work, and the same for the same seed."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Max

from sessions_ui.demo.world import make_world
from sessions_ui.selectors.timeline import column_size
from statecore.core.scopes import Scope, parse_key
from statecore.core.spelling import ACTIONS, EVENT, PART
from statecore.models import Event, Owner, Session, StateChange

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def test_world_is_the_same_for_the_same_moment() -> None:
    first, second = make_world(NOW), make_world(NOW)
    assert [script.events for script in first[:40]] == [script.events for script in second[:40]]


def test_world_has_every_kind_of_part_action_and_field() -> None:
    events = [event for script in make_world(NOW) if script.session_id != "monitor-eu-2" for _, event in script.events]
    parts = {name for event in events for part in event.get("content", {}).get("parts", []) for name in part}
    assert parts >= PART.names
    assert {name for event in events for name in event["actions"]} >= ACTIONS.names
    assert {name for event in events for name in event} >= EVENT.names - {"partial"}  # a partial event is not stored


def test_world_happens_before_now_and_looks_like_work() -> None:
    scripts = make_world(NOW)
    assert all(moment <= NOW for script in scripts for moment, _ in script.events)
    ending_soon = [script for script in scripts if script.expires_in and script.expires_in < timedelta(days=1)]
    assert len(ending_soon) >= 5
    assert sum("errorCode" in event for script in scripts[:320] for _, event in script.events) >= 20


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)  # in one transaction, 20,000 updates of one row would take minutes
def test_seed_demo_fills_an_empty_database_and_only_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", "a-demo-password")
    out = io.StringIO()
    call_command("seed_demo", stdout=out)
    assert Session.objects.live().count() >= 300
    assert Owner.objects.apps().count() == 5
    assert Owner.objects.exclude(user_id=None).values("user_id").distinct().count() >= 40
    assert Session.objects.aggregate(most=Max("revision"))["most"] == 20_000
    assert StateChange.objects.annotate(size=column_size("value")).filter(size__gt=5_000_000).exists()
    monitor = Session.objects.get(session_id="monitor-eu-2")
    assert Event.objects.of(monitor.id).count() == monitor.revision
    keys = {
        parse_key(key)[0]
        for payload in Event.objects.exclude(session_ref=monitor.id).values_list("payload", flat=True)[:2000]
        for key in json.loads(payload or "{}").get("actions", {}).get("stateDelta", {})
    }
    assert keys == {Scope.SESSION, Scope.USER, Scope.APP}
    with pytest.raises(CommandError, match="sessions already"):
        call_command("seed_demo", stdout=out)


@pytest.mark.django_db
def test_seed_demo_asks_for_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMO_PASSWORD", raising=False)
    with pytest.raises(CommandError, match="DEMO_PASSWORD"):
        call_command("seed_demo")
