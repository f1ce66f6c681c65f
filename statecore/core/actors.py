"""Who acts: every use case takes an actor, and the audit log names it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OPERATOR_PREFIX = "operator:"


class ActorKind(StrEnum):
    """What kind of caller acts."""

    OPERATOR = "operator"
    API_KEY = "key"
    PROCESS = "process"


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller. ``name`` is the username, the name of the API key, or of the command or library caller."""

    kind: ActorKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @classmethod
    def operator(cls, username: str) -> Actor:
        """Return the actor of a signed-in person; as an event's author it reads ``operator:<username>``."""
        return cls(ActorKind.OPERATOR, username)

    @classmethod
    def process(cls, name: str) -> Actor:
        """Return the actor of a trusted process: a command, a job, an embedding program."""
        return cls(ActorKind.PROCESS, name)
