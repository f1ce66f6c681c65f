"""The same commands, drawn at random, on the store in memory and on each other one: they answer alike at every step."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from statecore.core.delta import StateDelta, make_delta
from statecore.core.errors import StatecoreError
from statecore.core.ids import OwnerKey, SessionKey
from statecore.core.jsontext import dump_json
from statecore.core.scopes import ScopedState, merge_state, parse_key, split_state
from statecore.core.sessions import Appended, EventWindow, HistoryEntry, NewSession, Receipt, Session
from statecore.storage.memory import MemoryStore
from tests.builders import make_event, make_key
from tests.conformance.backends import BACKENDS, Backend
from tests.strategies import json_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from statecore.core.events import Event
    from statecore.service.port import SessionStore

USERS = ("ana", "bob")
IDS = ("trip", "other")
EVENT_IDS = ("e1", "e2", "e3", None)
TIMESTAMPS = (-1.0, 1796079885.25, 9e12)
SEQS = st.sampled_from((0, 1, 2, 3, 5, 9))
# Few, so that commands meet on the same keys; one of each scope and one that only looks like another's.
KEYS = st.sampled_from(("a", "b", "user:a", "app:a", "temp:a", "app:temp:a"))
STATES = st.dictionaries(KEYS, json_values(max_leaves=2), max_size=4)


@st.composite
def deltas(draw: st.DrawFn) -> StateDelta:
    values = draw(STATES)
    return make_delta(values, tuple(draw(st.sets(KEYS.filter(lambda key: key not in values), max_size=2))))


def comparable(answer: Any) -> Any:
    """Return an answer without what two stores number for themselves; values as JSON text, for 1, 1.0 and true."""
    match answer:
        case Session():
            kept = replace(answer, id=0, app_owner_id=0, user_owner_id=0, scoped_state=ScopedState())
            return kept, comparable(answer.scoped_state)
        case ScopedState():
            return sorted((key, dump_json(value)) for key, value in merge_state(answer).items())
        case Appended():
            return replace(answer, session_id=0)
        case Receipt():
            return replace(answer, id=0)
        case HistoryEntry(change=change):
            value = "" if change.is_removal else dump_json(change.value)
            return replace(answer, position=0, session_id=0, change=replace(change, value=value))
        case StatecoreError():
            return type(answer), str(answer)
        case list():
            return [comparable(item) for item in answer]
    return answer


def page_of_history(store: SessionStore, target: SessionKey | OwnerKey, name: str) -> list[HistoryEntry]:
    """Return the second page of two entries."""
    first = store.list_history(target, name, limit=2)
    return store.list_history(target, name, before=first[-1].position, limit=2) if first else []


class Comparison(RuleBasedStateMachine):
    """Runs every command on both stores. ``other`` and ``start`` are set by the test."""

    other: SessionStore
    start: datetime

    def __init__(self) -> None:
        super().__init__()
        self.memory = MemoryStore()
        self.app_name = make_key().app_name
        self.now = self.start

    def both(self, command: Callable[[SessionStore], Any]) -> Any:
        answers = []
        for store in (self.memory, self.other):
            try:
                answers.append(command(store))
            except StatecoreError as error:
                answers.append(error)
        assert comparable(answers[1]) == comparable(answers[0])
        return answers[0]

    def key(self, user_id: str, session_id: str) -> SessionKey:
        return SessionKey(self.app_name, user_id, session_id)

    @initialize(state=STATES)
    def start_with_a_session(self, state: dict[str, Any]) -> None:
        self.create(USERS[0], IDS[0], state, None)

    @rule(seconds=st.sampled_from((0.5, 61, 3600)))
    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(IDS), state=STATES, hours=st.sampled_from((None, 1, 2)))
    def create(self, user: str, name: str, state: dict[str, Any], hours: int | None) -> None:
        ttl = None if hours is None else timedelta(hours=hours)
        new = NewSession(self.key(user, name), split_state(state), ttl=ttl, labels={"n": user})
        self.both(lambda store: store.create_session(new, now=self.now))

    @rule(
        user=st.sampled_from(USERS),
        name=st.sampled_from(IDS),
        delta=deltas(),
        event_id=st.sampled_from(EVENT_IDS),
        timestamp=st.sampled_from(TIMESTAMPS),
        expected=st.none() | st.integers(0, 4),
        has_error=st.booleans(),
    )
    def append(
        self,
        user: str,
        name: str,
        delta: StateDelta,
        event_id: str | None,
        timestamp: float,
        expected: int | None,
        has_error: bool,
    ) -> None:
        event = self.event(delta, event_id, timestamp, has_error=has_error)
        key = self.key(user, name)
        answer = self.both(lambda store: store.append_event(key, event, expected_revision=expected, now=self.now))
        if isinstance(answer, Appended):  # and again, as after a lost answer
            self.both(lambda store: store.append_event(key, event, expected_revision=expected, now=self.now))

    def event(self, delta: StateDelta, event_id: str | None, timestamp: float, *, has_error: bool = False) -> Event:
        return make_event(
            delta=delta.values,
            removes=delta.without_temp().removed,
            event_id=event_id,
            timestamp=timestamp,
            errorCode="E" if has_error else None,
        )

    @rule(
        user=st.sampled_from(USERS),
        name=st.sampled_from(IDS),
        steps=st.lists(st.tuples(deltas(), st.sampled_from(EVENT_IDS)), max_size=3),
    )
    def append_many(self, user: str, name: str, steps: list[tuple[StateDelta, str | None]]) -> None:
        events = [self.event(delta, event_id, 1796079885.25) for delta, event_id in steps]
        if len({event.event_id for event in events}) == len(events):  # for one id twice, the seq told is no contract
            self.both(lambda store: store.append_events(self.key(user, name), events, now=self.now))

    @rule(
        user=st.sampled_from(USERS),
        name=st.sampled_from(IDS),
        delta=deltas(),
        update_time=st.none() | st.sampled_from(TIMESTAMPS),
    )
    def correct(self, user: str, name: str, delta: StateDelta, update_time: float | None) -> None:
        key = self.key(user, name)
        self.both(lambda store: store.correct_state(key, delta, update_time=update_time, now=self.now))

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(IDS))
    def delete(self, user: str, name: str) -> None:
        key = self.key(user, name)
        self.both(lambda store: store.delete_session(key, rule="person", actor="operator:kim", now=self.now))

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(IDS), delta=deltas())
    def append_in_a_block_that_raises(self, user: str, name: str, delta: StateDelta) -> None:
        event = self.event(delta, None, 1.0)

        def command(store: SessionStore) -> None:
            with store.transaction():
                store.append_event(self.key(user, name), event, now=self.now)
                store.delete_session(self.key(user, name), rule="person", actor="operator:kim", now=self.now)
                raise StatecoreError("undo")

        self.both(command)

    @rule(
        user=st.sampled_from(USERS),
        name=st.sampled_from(IDS),
        count=st.none() | st.integers(0, 3),
        since=st.none() | st.sampled_from(TIMESTAMPS),
    )
    def read(self, user: str, name: str, count: int | None, since: float | None) -> None:
        self.read_window(user, name, count, since)

    def read_window(self, user: str, name: str, count: int | None, since: float | None) -> None:
        window = EventWindow(count, since)
        self.both(lambda store: store.get_session(self.key(user, name), window=window, now=self.now))

    @rule(user=st.sampled_from(USERS), name=st.sampled_from(IDS), seq=SEQS)
    def travel(self, user: str, name: str, seq: int) -> None:
        self.both(lambda store: store.get_state_at(self.key(user, name), seq, now=self.now))

    @rule(user=st.sampled_from((*USERS, None)), name=st.sampled_from((*IDS, None)), key=KEYS)
    def read_history(self, user: str | None, name: str | None, key: str) -> None:
        target = self.key(user, name) if user and name else OwnerKey(self.app_name, user)
        for asked in {key, parse_key(key)[1]}:
            self.compare_histories(target, asked)

    def compare_histories(self, target: SessionKey | OwnerKey, name: str) -> None:
        self.both(lambda store: store.list_history(target, name))
        self.both(lambda store: page_of_history(store, target, name))

    @rule()
    def read_everything(self) -> None:
        self.both(lambda store: store.list_sessions(self.app_name, now=self.now))
        for user in USERS:
            self.compare_owners(OwnerKey(self.app_name, user))
            for name in IDS:
                self.read_window(user, name, None, None)
        self.compare_owners(OwnerKey(self.app_name))

    def compare_owners(self, owner: OwnerKey) -> None:
        def command(store: SessionStore) -> Any:
            found = store.get_owner_state(owner)
            return found.owner_id is None, sorted((key, dump_json(value)) for key, value in found.state.items())

        self.both(command)

    def teardown(self) -> None:
        self.read_everything()


OTHERS = [
    pytest.param(backend, id=backend.name, marks=backend.marks)
    for backend in BACKENDS
    if backend.store_class is not MemoryStore
]


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_store_answers_as_the_one_in_memory(request: pytest.FixtureRequest, other: Backend) -> None:
    with other.make(request) as open_store:
        # From now on, as list_history goes by the clock: for it alone nothing may expire.
        namespace = {"other": open_store(), "start": datetime.now(UTC).replace(microsecond=654321)}
        machine = type("Comparison", (Comparison,), namespace)
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=60,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
