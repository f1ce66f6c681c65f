"""Appends: this store against google-adk's DatabaseSessionService and against one raw INSERT, on one PostgreSQL.

Every round runs each variant in turn, so that the machine's moods meet all of them; a ratio is taken within a round,
and what is printed is the median of the rounds with the smallest and the largest. See bench/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import threading
import time
import uuid
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.database_session_service import DatabaseSessionService
from google.genai import types

from bench.database import open_database
from statecore.core.actors import Actor
from statecore.service.sessions import SessionService
from statecore.storage.postgres import PostgresStore, PsycopgConnections

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from statecore.core.ids import SessionKey

ACTOR = Actor.process("bench")
TEXT = "x" * 900
WRITERS = 8
RAW = """INSERT INTO bench_event (session_ref, seq, slot, gid, timestamp, receive_time, kind, flags, event_id,
         invocation_id, author, payload)
         VALUES (1, %s, 1, %s, %s, now(), 1, 0, %s, 'e-1', 'agent', %s)"""


def payload(keys: list[str], number: int) -> dict[str, Any]:
    """An event of about 1 KB that sets ``keys``."""
    return {
        "id": str(uuid.uuid4()),
        "timestamp": time.time(),
        "invocationId": "e-1",
        "author": "agent",
        "content": {"role": "model", "parts": [{"text": TEXT}]},
        "actions": {
            "stateDelta": dict.fromkeys(keys, number),
            "artifactDelta": {},
            "requestedAuthConfigs": {},
            "requestedToolConfirmations": {},
        },
    }


def adk_event(keys: list[str], number: int) -> Event:
    """The same event as google-adk's object."""
    return Event(
        invocation_id="e-1",
        author="agent",
        content=types.Content(role="model", parts=[types.Part(text=TEXT)]),
        actions=EventActions(state_delta=dict.fromkeys(keys, number)),
    )


class Ours:
    """Our use case over the store, on one psycopg connection."""

    def __init__(self, dsn: str) -> None:
        self.service = SessionService(PostgresStore(PsycopgConnections(psycopg.connect(dsn))))

    def open(self, state: dict[str, Any] | None = None) -> SessionKey:
        """Create a session."""
        created = self.service.create_session(actor=ACTOR, app_name="bench", user_id=uuid.uuid4().hex, state=state)
        return created.session.key

    def append(self, key: SessionKey, event: dict[str, Any]) -> None:
        """Append one event."""
        self.service.append_event(actor=ACTOR, key=key, payload=event)


class Peer:
    """google-adk's DatabaseSessionService, driven from one event loop."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.service = DatabaseSessionService(db_url=url)

    def open(self, state: dict[str, Any] | None = None) -> Any:
        """Create a session."""
        creating = self.service.create_session(app_name="bench", user_id=uuid.uuid4().hex, state=state)
        return self.loop.run_until_complete(creating)

    def time_appends(self, session: Any, events: list[Event]) -> list[float]:
        """Return the seconds of each append, one after the other."""

        async def run() -> list[float]:
            seconds = []
            for event in events:
                start = time.perf_counter()
                await self.service.append_event(session, event)
                seconds.append(time.perf_counter() - start)
            return seconds

        return self.loop.run_until_complete(run())

    def gather(self, jobs: list[Awaitable[None]]) -> None:
        """Run jobs at once."""

        async def run() -> None:
            await asyncio.gather(*jobs)

        self.loop.run_until_complete(run())

    def close(self) -> None:
        """Close the pool."""
        self.loop.run_until_complete(self.service.db_engine.dispose())
        self.loop.close()


def time_each(act: Callable[[Any], Any], items: list[Any]) -> list[float]:
    """Return the seconds that ``act`` takes for each item."""
    seconds = []
    for item in items:
        start = time.perf_counter()
        act(item)
        seconds.append(time.perf_counter() - start)
    return seconds


def report(name: str, ratios: list[float], *, target: str) -> None:
    """Print one ratio with its spread over the rounds."""
    print(
        f"{name:<62} {statistics.median(ratios):7.2f}x  ({min(ratios):.2f}-{max(ratios):.2f})  target {target}",
        flush=True,
    )


def single_writer(dsn: str, ours: Ours, peer: Peer, *, rounds: int, size: int) -> None:
    """One writer, 1 KB, three keys."""
    raw = psycopg.connect(dsn, autocommit=True)
    keys = ["cart", "user:plan", "app:tier"]
    key, session = ours.open(), peer.open()
    medians: dict[str, list[float]] = {"ours": [], "adk": [], "raw": []}
    number = 0
    for current in range(rounds + 1):
        events = [payload(keys, number + index) for index in range(size)]
        rows = [
            (number + i, number + i, event["timestamp"], event["id"], json.dumps(event))
            for i, event in enumerate(events)
        ]
        number += size
        seconds = {
            "raw": time_each(lambda row: raw.execute(RAW, row), rows),
            "ours": time_each(lambda event: ours.append(key, event), events),
            "adk": peer.time_appends(session, [adk_event(keys, index) for index in range(size)]),
        }
        if current:  # the first round warms caches and plans
            for name, values in seconds.items():
                medians[name].append(statistics.median(values))
    for name, values in medians.items():
        print(f"  median of one append, {name}: {statistics.median(values) * 1e6:.0f} us", flush=True)
    report("one writer: times faster than ADK", divide(medians["adk"], medians["ours"]), target=">= 7")
    report("one writer: times a raw INSERT", divide(medians["ours"], medians["raw"]), target="<= 1.9")


def divide(upper: list[float], lower: list[float]) -> list[float]:
    """Divide round by round."""
    return [a / b for a, b in zip(upper, lower, strict=True)]


def append_many(dsn: str, count: int) -> None:
    """Append ``count`` events to a new session, each writing the hot key; the work of one process."""
    append_loop(Ours(dsn), count)


def append_loop(ours: Ours, count: int) -> None:
    """Append ``count`` events to a new session, each writing the hot key."""
    key = ours.open()
    for number in range(count):
        ours.append(key, payload(["cart", "user:plan", "app:hot"], number))


def hot_key(dsn: str, peer: Peer, *, rounds: int, size: int) -> None:
    """Eight sessions at once, one hot app key: appends a second, with threads and with processes."""
    clients = [Ours(dsn) for _ in range(WRITERS)]
    rates: dict[str, list[float]] = {"threads": [], "processes": [], "adk": []}

    async def adk_writer() -> None:
        session = await peer.service.create_session(app_name="bench", user_id=uuid.uuid4().hex)
        for number in range(size):
            await peer.service.append_event(session, adk_event(["cart", "user:plan", "app:hot"], number))

    with ProcessPoolExecutor(WRITERS, mp_context=get_context("spawn")) as pool:
        list(pool.map(append_many, [dsn] * WRITERS, [20] * WRITERS))
        for _ in range(rounds):
            rates["adk"].append(WRITERS * size / elapsed(lambda: peer.gather([adk_writer() for _ in range(WRITERS)])))
            rates["threads"].append(WRITERS * size / elapsed(lambda: run_threads(clients, size)))
            processes = elapsed(lambda: list(pool.map(append_many, [dsn] * WRITERS, [size * 3] * WRITERS)))
            rates["processes"].append(WRITERS * size * 3 / processes)
    for name, values in rates.items():
        print(f"  appends a second, {name}: {statistics.median(values):.0f}", flush=True)
    report("8 sessions, one hot app key, threads: times ADK", divide(rates["threads"], rates["adk"]), target=">= 11")
    report(
        "8 sessions, one hot app key, processes: times ADK", divide(rates["processes"], rates["adk"]), target=">= 15"
    )


def run_threads(clients: list[Ours], size: int) -> None:
    """Run one writer a thread."""
    threads = [threading.Thread(target=append_loop, args=(client, size)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def elapsed(act: Callable[[], Any]) -> float:
    """Return the seconds that ``act`` takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def growth(ours: Ours, peer: Peer, *, rounds: int, size: int) -> None:
    """Appends to large sessions against small ones: by state keys, and by events."""

    def state_of(count: int) -> dict[str, Any]:
        return {f"key-{index}": "v" * 100 for index in range(count)}

    few, many, long = ours.open(state_of(10)), ours.open(state_of(10_000)), ours.open(state_of(10))
    for index in range(20_000):
        ours.append(long, payload(["key-1"], index))
    adk_many = peer.open(state_of(10_000))
    by_keys, by_events, against = [], [], []
    for current in range(rounds + 1):
        small, large, deep = (
            statistics.median(time_each(lambda event, key=key: ours.append(key, event), events))
            for key in (few, many, long)
            for events in [[payload(["key-1"], index) for index in range(size)]]
        )
        adk = statistics.median(peer.time_appends(adk_many, [adk_event(["key-1"], index) for index in range(15)]))
        if current:
            by_keys.append(large / small)
            by_events.append(deep / small)
            against.append(adk / large)
    report("10,000 keys against 10", by_keys, target="<= 1.1")
    report("20,000 events against 10", by_events, target="<= 1.1")
    report("10,000 keys: times faster than ADK", against, target=">= 70")


def main() -> None:
    """Run all three and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--size", type=int, default=150, help="appends of each variant in a round")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, open_database(Path(folder)) as database:
        ours, peer = Ours(database.dsn), Peer(database.asyncpg_url)
        single_writer(database.dsn, ours, peer, rounds=options.rounds, size=options.size)
        hot_key(database.dsn, peer, rounds=options.rounds, size=options.size)
        growth(ours, peer, rounds=options.rounds, size=options.size)
        peer.close()


if __name__ == "__main__":
    main()
