"""A script: what happens in one demo session, as timed events that the service will append."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random


@dataclass(slots=True)
class Script:
    """One session to be: who, when, its baseline, and its events in order. ``now`` moves as things happen."""

    app_name: str
    user_id: str
    session_id: str
    now: datetime
    rng: Random
    state: dict[str, Any] = field(default_factory=dict)
    display_name: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    expires_in: timedelta | None = None
    events: list[tuple[datetime, dict[str, Any]]] = field(default_factory=list)
    start: datetime = field(init=False)
    _invocation: str = ""
    _calls: int = 0

    def __post_init__(self) -> None:
        self.start = self.now

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds * self.rng.uniform(0.7, 1.5))

    def user(self, text: str, **fields: Any) -> None:
        """The person writes: a new invocation begins."""
        self.wait(45)
        self._invocation = f"e-{self._id(8)}"
        self.event("user", {"role": "user", "parts": [{"text": text}]}, **fields)

    def say(self, agent: str, text: str, delta: dict[str, Any] | None = None, **fields: Any) -> None:
        """An agent answers, with what it cost."""
        self.wait(3)
        prompt = 400 + 30 * len(self.events) + self.rng.randint(0, 90)
        answer = max(5, len(text) // 4)
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": answer, "totalTokenCount": prompt + answer}
        told: dict[str, Any] = {
            "modelVersion": "demo-model-2",
            "finishReason": "STOP",
            "usageMetadata": usage,
            **fields,
        }
        self.event(agent, {"role": "model", "parts": [{"text": text}]}, delta, **told)

    def think(self, agent: str, thought: str, tool: str, args: dict[str, Any]) -> str:
        """An agent thinks aloud and calls a tool; returns the id of the call."""
        self.wait(2)
        self._calls += 1
        call_id = f"call-{self._id(6)}"
        parts: list[dict[str, Any]] = [
            {"text": thought, "thought": True},
            {"functionCall": {"id": call_id, "name": tool, "args": args}},
        ]
        self.event(agent, {"role": "model", "parts": parts})
        return call_id

    def tool(
        self,
        agent: str,
        tool: str,
        args: dict[str, Any],
        response: dict[str, Any],
        delta: dict[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        """A call and its response."""
        call_id = self.think(agent, f"I need {tool.replace('_', ' ')} for this.", tool, args)
        self.wait(1)
        part = {"functionResponse": {"id": call_id, "name": tool, "response": response}}
        self.event(agent, {"role": "user", "parts": [part]}, delta, **fields)

    def fail(self, agent: str, code: str, message: str) -> None:
        """Something breaks."""
        self.wait(1)
        self.event(agent, None, errorCode=code, errorMessage=message)

    def transfer(self, agent: str, to: str, reason: str) -> None:
        """One agent hands over to another."""
        self.wait(1)
        self.event(agent, None, actions={"transferToAgent": to, "transferReason": reason})

    def parts(self, agent: str, parts: list[dict[str, Any]], **fields: Any) -> None:
        """An agent sends parts as they are."""
        self.wait(2)
        self.event(agent, {"role": "model", "parts": parts}, **fields)

    def event(
        self, author: str, content: dict[str, Any] | None, delta: dict[str, Any] | None = None, **fields: Any
    ) -> None:
        """Add one event at the script's time."""
        actions = {"stateDelta": delta or {}, "artifactDelta": {}, **fields.pop("actions", {})}
        payload: dict[str, Any] = {
            "id": self._id(16),
            "timestamp": self.now.timestamp(),
            "invocationId": self._invocation,
            "author": author,
            **({"content": content} if content else {}),
            "actions": actions,
            **fields,
        }
        self.events.append((self.now, payload))

    def _id(self, digits: int) -> str:
        return f"{self.rng.getrandbits(digits * 4):0{digits}x}"
