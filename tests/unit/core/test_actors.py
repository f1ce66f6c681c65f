from __future__ import annotations

from statecore.core.actors import Actor, ActorKind
from statecore.core.audit import AuditEntry, Outcome


def test_actor_reads_as_its_kind_and_name() -> None:
    assert str(Actor.operator("mia")) == "operator:mia"
    assert str(Actor.process("expire")) == "process:expire"
    assert str(Actor(ActorKind.API_KEY, "bot")) == "key:bot"


def test_actors_of_one_name_and_different_kinds_differ() -> None:
    assert Actor.operator("mia") != Actor.process("mia")


def test_audit_entry_says_that_a_thing_was_done_unless_told_otherwise() -> None:
    entry = AuditEntry(Actor.operator("mia"), "edit")
    assert (entry.outcome, entry.owner, entry.detail) == (Outcome.DONE, None, {})
