"""Writes the demo world through the service, in the order in which it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sessions_ui.demo.world import make_world
from sessions_ui.wiring import service_at
from statecore.core.actors import Actor
from statecore.core.ids import SessionKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sessions_ui.demo.script import Script

ACTOR = Actor.process("seed_demo")
_BATCH = 50


class DemoClock:
    """Stands at the moment of the act being written."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def write_world(now: datetime, *, progress: Callable[[int, int], None]) -> int:
    """Write the demo up to ``now`` and return the number of sessions; ``progress`` gets (done, total) acts.

    Acts of all sessions are interleaved by time, so that the history of shared keys is in order. Some
    acts share a transaction and so one wait for the disk.
    """
    scripts = make_world(now)
    acts: list[tuple[datetime, int, int, Script, dict[str, Any] | None]] = []
    for number, script in enumerate(scripts):
        acts.append((script.start, number, 0, script, None))
        acts += [(moment, number, seq, script, event) for seq, (moment, event) in enumerate(script.events, 1)]
    acts.sort(key=lambda act: act[:3])
    clock = DemoClock(now)
    service, store = service_at(clock)
    for start in range(0, len(acts), _BATCH):
        with store.transaction():
            for moment, _, _, script, event in acts[start : start + _BATCH]:
                clock.now = min(moment, now)
                key = SessionKey(script.app_name, script.user_id, script.session_id)
                if event is not None:
                    service.append_event(actor=ACTOR, key=key, payload=event)
                    continue
                service.create_session(
                    actor=ACTOR,
                    app_name=key.app_name,
                    user_id=key.user_id,
                    session_id=key.session_id,
                    state=script.state,
                    display_name=script.display_name,
                    labels=script.labels,
                    expire_time=now + script.expires_in if script.expires_in else None,
                )
        progress(min(start + _BATCH, len(acts)), len(acts))
    return len(scripts)
