from __future__ import annotations

import itertools
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connections

from statecore.core.errors import EventExistsError, SessionExistsError, StaleSessionError, StatecoreError
from statecore.core.ids import OwnerKey
from statecore.core.jsontext import dump_json
from tests.builders import append, create, make_event, make_key, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from statecore.core.sessions import Appended
    from statecore.service.port import SessionStore
    from tests.conformance.backends import Opener

WRITERS = 8


def run_at_once(open_store: Opener, works: Sequence[Callable[[SessionStore], Any]]) -> list[Any]:
    """Do each work in a thread and on a store of its own, all from one moment; a refusal is its result."""
    stores = [open_store() for _ in works]
    start = threading.Barrier(len(works))

    def run(store: SessionStore, work: Callable[[SessionStore], Any]) -> Any:
        start.wait(timeout=60)
        try:
            return work(store)
        except StatecoreError as error:
            return error
        finally:
            connections.close_all()  # Django's, if the store opened one in this thread

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, stores, works))


def test_fifty_first_users_of_an_app_get_one_app_and_fifty_users(open_store: Opener) -> None:
    app_name = make_key().app_name

    def first_use(user_id: str) -> Callable[[SessionStore], Any]:
        return lambda store: create(store, make_key(app_name=app_name, user_id=user_id), state={"app:last": user_id})

    sessions = run_at_once(open_store, [first_use(f"user {number}") for number in range(50)])
    assert len({session.app_owner_id for session in sessions}) == 1
    assert len({session.user_owner_id for session in sessions}) == 50
    store = open_store()
    assert len(store.list_sessions(app_name)) == 50
    history = store.list_history(OwnerKey(app_name), "last", limit=100)
    assert len(history) == 50
    assert store.get_owner_state(OwnerKey(app_name)).state == {"last": history[0].change.value}


def test_parallel_creates_of_one_key_have_one_winner(open_store: Opener) -> None:
    key = make_key()
    works = [lambda store, number=number: create(store, key, state={"by": number}) for number in range(WRITERS)]
    results = run_at_once(open_store, works)
    (winner,) = [result for result in results if not isinstance(result, SessionExistsError)]
    assert read(open_store(), key) == winner


def test_parallel_creates_over_an_expired_session_have_one_winner(open_store: Opener) -> None:
    key = make_key()
    expired = create(open_store(), key, state={"old": True})
    later = expired.expire_time
    works = [lambda store: create(store, key, now=later) for _ in range(WRITERS)]
    results = run_at_once(open_store, works)
    (winner,) = [result for result in results if not isinstance(result, SessionExistsError)]
    found = read(open_store(), key, now=later)
    assert (found.id, found.state) == (winner.id, {})
    assert winner.id != expired.id


def test_parallel_appends_to_one_session_all_get_their_own_seq(open_store: Opener) -> None:
    session = create(open_store())

    def write(number: int) -> Callable[[SessionStore], list[Appended]]:
        def work(store: SessionStore) -> list[Appended]:
            return [
                append(store, session, make_event(delta={"last": [number, step], "user:last": [number, step]}))
                for step in range(10)
            ]

        return work

    answers = [answer for written in run_at_once(open_store, [write(n) for n in range(WRITERS)]) for answer in written]
    count = WRITERS * 10
    assert sorted(answer.event.seq for answer in answers) == list(range(1, count + 1))
    store = open_store()
    found = read(store, session)
    assert [event.seq for event in found.events] == list(range(1, count + 1))
    assert {event.event_id: event.seq for event in found.events} == {
        answer.event.event_id: answer.event.seq for answer in answers
    }
    # The newest event wins in every scope, whoever was first to begin.
    newest = found.events[-1].payload["actions"]["stateDelta"]
    assert found.state == newest
    for target in (session.key, OwnerKey(session.key.app_name, session.key.user_id)):
        history = store.list_history(target, "last", limit=count + 1)
        assert [entry.change.seq for entry in history] == list(range(count, 0, -1))


def test_parallel_imports_and_appends_keep_shared_keys_in_the_order_of_events(open_store: Opener) -> None:
    session = create(open_store())

    def import_many(number: int) -> Callable[[SessionStore], int]:
        return lambda store: [
            store.append_events(session.key, [make_event(delta={"user:last": [number, n]}) for n in range(5)])
            for _ in range(5)
        ][-1]

    def append_many(number: int) -> Callable[[SessionStore], Any]:
        return lambda store: [append(store, session, make_event(delta={"user:last": [number]})) for _ in range(10)]

    run_at_once(open_store, [*map(import_many, range(3)), *map(append_many, range(3, 6))])
    store = open_store()
    found = read(store, session)
    assert found.revision == len(found.events) == 3 * 25 + 3 * 10
    assert found.state == found.events[-1].payload["actions"]["stateDelta"]
    for event in found.events:
        at = store.get_state_at(session.key, event.seq)
        assert at is not None
        assert {"user:last": at.user["last"]} == event.payload["actions"]["stateDelta"]


def test_parallel_retries_of_one_event_store_it_once(open_store: Opener) -> None:
    session = create(open_store())
    event = make_event(delta={"user:n": 1})
    works = [lambda store: append(store, session, event, expected_revision=0) for _ in range(WRITERS)]
    answers = run_at_once(open_store, works)
    assert {answer.event for answer in answers} == {answers[0].event}
    assert Counter(answer.is_repeat for answer in answers) == {False: 1, True: WRITERS - 1}
    assert read(open_store(), session).revision == 1


def test_parallel_retries_inside_transactions_store_the_event_once(open_store: Opener) -> None:
    session = create(open_store())
    event = make_event()

    def work(store: SessionStore) -> Appended:
        with store.transaction():
            return append(store, session, event)

    answers = run_at_once(open_store, [work] * WRITERS)
    assert Counter(answer.is_repeat for answer in answers) == {False: 1, True: WRITERS - 1}


def test_parallel_events_of_one_id_with_different_bodies_have_one_winner(open_store: Opener) -> None:
    session = create(open_store())
    works = [
        lambda store, number=number: append(store, session, make_event(event_id="same", output=number))
        for number in range(WRITERS)
    ]
    results = run_at_once(open_store, works)
    assert sum(isinstance(result, EventExistsError) for result in results) == WRITERS - 1
    assert read(open_store(), session).revision == 1


def test_parallel_appends_on_one_revision_have_one_winner(open_store: Opener) -> None:
    session = create(open_store())
    works = [
        lambda store, number=number: append(
            store, session, make_event(delta={"by": number, "app:by": number}), expected_revision=0
        )
        for number in range(WRITERS)
    ]
    results = run_at_once(open_store, works)
    (winner,) = [result for result in results if not isinstance(result, StaleSessionError)]
    found = read(open_store(), session)
    assert found.events == (winner.event,)
    assert found.state == winner.event.payload["actions"]["stateDelta"]
    assert all(result.found == 1 for result in results if isinstance(result, StaleSessionError))


def test_parallel_first_writes_of_the_same_shared_keys_all_go_through(open_store: Opener) -> None:
    app_name = make_key().app_name
    sessions = [create(open_store(), make_key(app_name=app_name, session_id=str(number))) for number in range(WRITERS)]
    names = [f"key {number}" for number in range(30)]

    def write(number: int) -> Callable[[SessionStore], Any]:
        # Few and many keys take different ways; both orders of naming them.
        chosen = names[:: -1 if number % 2 else 1][: 30 if number % 4 < 2 else 12]
        delta = {f"{scope}:{name}": number for name in chosen for scope in ("user", "app")}
        return lambda store: append(store, sessions[number], make_event(delta=delta))

    results = run_at_once(open_store, [write(number) for number in range(WRITERS)])
    assert [result.revision for result in results] == [1] * WRITERS
    store = open_store()
    for owner in (OwnerKey(app_name), OwnerKey(app_name, sessions[0].key.user_id)):
        current = store.get_owner_state(owner).state
        assert set(current) == set(names)
        assert current == {name: store.list_history(owner, name)[0].change.value for name in names}


def test_deletes_and_appends_at_once_leave_nothing_behind(open_store: Opener) -> None:
    session = create(open_store())

    def delete(store: SessionStore) -> Any:
        return store.delete_session(session.key, rule="person", actor="operator:kim")

    def write(store: SessionStore) -> Any:
        return append(store, session, make_event(delta={"user:n": 1}))

    results = run_at_once(open_store, [write, write, delete, delete, write, write])
    receipts = [result for result in (results[2], results[3]) if result is not None]
    stored = [result for result in (*results[:2], *results[4:]) if not isinstance(result, StatecoreError)]
    assert [receipt.event_count for receipt in receipts] == [len(stored)]
    assert open_store().get_session(session.key) is None


def test_read_is_one_snapshot_while_others_write(open_store: Opener) -> None:
    session = create(open_store(), state={"n": 0, "user:n": 0})
    writer, reader = open_store(), open_store()
    is_enough = threading.Event()

    def write() -> None:
        try:
            for number in itertools.takewhile(lambda _: not is_enough.is_set(), itertools.count(1)):
                append(writer, session, make_event(delta={"n": number, "user:n": number}))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        seen: set[int] = set()
        try:
            while len(seen) < 20 and not written.done():
                found = read(reader, session)
                revision = found.revision
                assert [event.seq for event in found.events] == list(range(1, revision + 1))
                assert dump_json(found.state) == dump_json({"n": revision, "user:n": revision})
                seen.add(revision)
        finally:
            is_enough.set()
        written.result()


def test_new_session_is_returned_as_it_was_made_while_others_write(open_store: Opener) -> None:
    key = make_key()
    is_made = threading.Event()

    def eager(store: SessionStore) -> None:
        while not is_made.is_set():
            if store.get_session(key) is not None:
                append(store, key)

    def make(store: SessionStore) -> Any:
        try:
            return create(store, key, state={"n": 0})
        finally:
            is_made.set()

    *_, created = run_at_once(open_store, [eager, eager, make])
    assert (created.revision, created.state) == (0, {"n": 0})


@pytest.mark.parametrize("number", range(3))
def test_rollback_of_one_writer_leaves_no_gap(open_store: Opener, number: int) -> None:
    session = create(open_store())

    def fail(store: SessionStore) -> None:
        with store.transaction():
            append(store, session, make_event(delta={"user:n": "lost"}))
            raise StatecoreError

    run_at_once(open_store, [fail, append_one := (lambda store: append(store, session)), fail, append_one])
    found = read(open_store(), session)
    assert [event.seq for event in found.events] == [1, 2]
    assert found.state == {}
