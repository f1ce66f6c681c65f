"""The demo world: which sessions there are. Everything follows from one seed and one moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from sessions_ui.demo.cast import APPS, PEOPLE
from sessions_ui.demo.script import Script
from sessions_ui.demo.stories import STORIES
from sessions_ui.presenters.gallery import ACTION_EXAMPLES, EVENT_EXAMPLES, PART_EXAMPLES

SESSION_COUNT = 320
LONG_EVENT_COUNT = 20_000
LARGE_VALUE_BYTES = 5 * 1024 * 1024


def make_world(now: datetime, *, seed: int = 7) -> list[Script]:
    """Return the scripts of all demo sessions; everything in them happens before ``now``."""
    rng = Random(seed)  # noqa: S311 - repeatable, not secret
    scripts = [_ordinary(rng, index, now) for index in range(SESSION_COUNT)]
    scripts += [_every_kind(rng, now), _long(rng, now), _large(rng, now)]
    return scripts


def _ordinary(rng: Random, index: int, now: datetime) -> Script:
    """One of the many: most are recent, everybody appears, some end soon."""
    app_name = APPS[index % len(APPS)]
    user_id = PEOPLE[index] if index < len(PEOPLE) else rng.choice(PEOPLE)
    age = timedelta(minutes=45 + min(rng.expovariate(1 / 9000), 40_000))
    script = Script(app_name, user_id, f"{app_name[:4]}-{rng.getrandbits(48):012x}", now - age, rng)
    STORIES[app_name](script)
    if index % 9 == 0:
        script.expires_in = timedelta(minutes=rng.randint(20, 4000))
    return script


def _every_kind(rng: Random, now: datetime) -> Script:
    """One session with every kind of part, action and event field."""
    script = Script("support_bot", PEOPLE[0], "every-kind-of-event", now - timedelta(hours=3), rng)
    script.display_name = "Every kind of part and field"
    script.user("Show me everything.")
    for part in PART_EXAMPLES.values():
        script.parts("showcase", [part])
    for name, value in ACTION_EXAMPLES.items():
        script.event("showcase", None, actions={name: value})
    for name, value in EVENT_EXAMPLES.items():
        if name not in ("id", "author", "timestamp", "invocationId", "content", "actions", "partial"):
            script.event("showcase", None, **{name: value})
    return script


def _long(rng: Random, now: datetime) -> Script:
    """A monitor that has reported every four seconds since yesterday: most appends stay in one minute, as in life."""
    script = Script("support_bot", "team/search", "monitor-eu-2", now - timedelta(hours=23), rng)
    script.display_name = "Queue monitor"
    script.state = {"region": "eu-2", "depth": 0, "app:monitors": 1}
    step = timedelta(hours=22) / LONG_EVENT_COUNT
    for number in range(LONG_EVENT_COUNT):
        moment = script.start + step * number
        script.now = moment
        if number % 10 == 0:
            script.user("tick")
            script.now = moment
        if number % 10 == 0:
            continue
        if rng.random() < 0.004:
            script.fail("monitor", "DEADLINE_EXCEEDED", "read_queue: no answer in 2 s")
            continue
        depth = max(0, int(rng.gauss(120, 40)))
        delta = {"depth": depth, "checked": number}
        if number % 50 == 1:
            delta["user:checks"] = number
        script.event("monitor", {"role": "model", "parts": [{"text": f"depth {depth}"}]}, delta)
    return script


def _large(rng: Random, now: datetime) -> Script:
    """One value of five megabytes, and small ones beside it."""
    script = Script("code_reviewer", PEOPLE[3], "large-log", now - timedelta(hours=2), rng)
    script.display_name = "A log of five megabytes"
    script.user("Keep the whole log.")
    line = "2026-01-01T00:00:00Z worker-3 handled request in 12 ms\n"
    script.say("reviewer", "Kept.", {"log": line * (LARGE_VALUE_BYTES // len(line) + 1), "log_lines": 1})
    script.say("reviewer", "Anything else?", {"stage": "waiting"})
    return script
