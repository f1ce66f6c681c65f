"""Django's view of the tables. Migrations own them; only the service writes them.

Every hot table ends its primary key with ``slot`` (the low 12 bits of its owner's or session's id), so that the
same application runs on a sharded PostgreSQL. ``*_ref`` columns hold numeric ids of sessions, owners or audit rows.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models
from django.db.models import Q

from statecore.fields import VerbatimJSONField
from statecore.querysets import EventQuerySet, OwnerQuerySet, SessionQuerySet

if TYPE_CHECKING:
    from django.db.models.manager import Manager


class Owner(models.Model):
    """An app (``user_id`` is null) or a user of an app: what shared state belongs to."""

    id = models.BigIntegerField(primary_key=True)
    slot = models.SmallIntegerField()
    app_name = models.TextField()
    user_id = models.TextField(null=True)  # noqa: DJ001 - null tells an app from a user; ids are never empty
    create_time = models.DateTimeField()
    policy_ttl = models.DurationField(null=True)
    is_policy_sliding = models.BooleanField(default=False)

    objects = OwnerQuerySet.as_manager()

    class Meta:
        db_table = "statecore_owner"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["app_name", "user_id", "slot"], name="statecore_owner_name", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(slot=models.F("id").bitand(4095)), name="statecore_owner_slot"),
        ]
        indexes: ClassVar[list[Any]] = [models.Index(fields=["user_id"], name="statecore_owner_user")]

    def __str__(self) -> str:
        return f"app {self.app_name}" if self.user_id is None else f"user of {self.app_name}"


class Session(models.Model):
    """A session's header: what lists and reads need without its events."""

    id = models.BigIntegerField(primary_key=True)
    app_owner_id = models.BigIntegerField()
    user_owner_id = models.BigIntegerField()
    user_owner = models.ForeignObject(
        Owner,
        on_delete=models.DO_NOTHING,
        from_fields=["user_owner_id", "slot"],
        to_fields=["id", "slot"],
        related_name="sessions",
    )
    create_gid = models.BigIntegerField()
    revision = models.IntegerField(default=0)
    error_count = models.IntegerField(default=0)
    edit_count = models.IntegerField(default=0)
    slot = models.SmallIntegerField()
    create_time = models.DateTimeField()
    receive_time = models.DateTimeField()
    active_at = models.DateTimeField()
    expire_time = models.DateTimeField()
    hold_until = models.DateTimeField(null=True)
    sliding_ttl = models.DurationField(null=True)
    update_time = models.FloatField()
    expire_rule = models.TextField()
    origin = models.TextField()
    session_id = models.TextField()
    display_name = models.TextField(default="")
    labels = models.JSONField(default=dict)

    objects = SessionQuerySet.as_manager()

    class Meta:
        db_table = "statecore_session"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["user_owner_id", "session_id", "slot"], name="statecore_session_key"),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["app_owner_id", "active_at", "id"], name="statecore_session_app"),
            models.Index(fields=["user_owner_id", "active_at", "id"], name="statecore_session_user"),
            models.Index(fields=["active_at", "id"], name="statecore_session_recent"),
            models.Index(fields=["expire_time", "id"], name="statecore_session_expire"),
            models.Index(fields=["session_id"], opclasses=["text_pattern_ops"], name="statecore_session_prefix"),
        ]

    def __str__(self) -> str:
        return f"session {self.id}"


class Event(models.Model):
    """An event as it was sent (``payload``), its place (``seq``) and what lists filter on."""

    pk = models.CompositePrimaryKey("session_ref", "seq", "slot")
    session_ref = models.BigIntegerField()
    session = models.ForeignObject(
        Session,
        on_delete=models.DO_NOTHING,
        from_fields=["session_ref", "slot"],
        to_fields=["id", "slot"],
        related_name="events",
    )
    gid = models.BigIntegerField()
    timestamp = models.FloatField()
    receive_time = models.DateTimeField()
    seq = models.IntegerField()
    slot = models.SmallIntegerField()
    kind = models.SmallIntegerField()
    flags = models.SmallIntegerField()
    event_id = models.TextField()
    invocation_id = models.TextField()
    author = models.TextField()
    payload = VerbatimJSONField()

    objects = EventQuerySet.as_manager()

    class Meta:
        db_table = "statecore_event"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["session_ref", "event_id", "slot"], name="statecore_event_id"),
        ]

    def __str__(self) -> str:
        return f"event #{self.seq} of session {self.session_ref}"


class State(models.Model):
    """A key that exists or existed. Session keys have their value here (null: removed); shared keys only register.

    The current value of an app's or user's key is its newest :class:`StateChange`, so that appends of different
    sessions never wait for each other on a hot key.
    """

    pk = models.CompositePrimaryKey("owner_ref", "key", "slot")
    owner_ref = models.BigIntegerField()
    position = models.BigIntegerField()
    slot = models.SmallIntegerField()
    key = models.TextField(db_collation="C")
    value = VerbatimJSONField(null=True)

    objects: ClassVar[Manager[State]]

    class Meta:
        db_table = "statecore_state"

    def __str__(self) -> str:
        return f"key of owner {self.owner_ref}"


class StateChange(models.Model):
    """Every write (``value``) and removal (``value`` is null) of every key, and what made it.

    ``position`` orders the changes of one owner: ``seq * 2`` for session keys (plus 1 for an import correction after
    that event), the event's gid for keys of apps and users.
    """

    pk = models.CompositePrimaryKey("owner_ref", "key", "position", "slot")
    owner_ref = models.BigIntegerField()
    position = models.BigIntegerField()
    session_ref = models.BigIntegerField(null=True)
    audit_ref = models.BigIntegerField(null=True)
    seq = models.IntegerField()
    slot = models.SmallIntegerField()
    kind = models.SmallIntegerField()
    key = models.TextField(db_collation="C")
    value = VerbatimJSONField(null=True)

    objects: ClassVar[Manager[StateChange]]

    class Meta:
        db_table = "statecore_state_change"

    def __str__(self) -> str:
        return f"change of owner {self.owner_ref} at {self.position}"


class Hold(models.Model):
    """A reason to keep a session past its expire_time, until ``end_time`` or its release."""

    id = models.BigAutoField(primary_key=True)
    session_ref = models.BigIntegerField()
    slot = models.SmallIntegerField()
    reason = models.TextField()
    actor = models.TextField()
    create_time = models.DateTimeField()
    end_time = models.DateTimeField()
    release_time = models.DateTimeField(null=True)
    release_actor = models.TextField(default="")

    class Meta:
        db_table = "statecore_hold"
        indexes: ClassVar[list[Any]] = [models.Index(fields=["session_ref", "slot"], name="statecore_hold_session")]

    def __str__(self) -> str:
        return f"hold on session {self.session_ref}"


class Receipt(models.Model):
    """What is left of a deleted session. ``id`` was the session's."""

    id = models.BigIntegerField(primary_key=True)
    slot = models.SmallIntegerField()
    app_owner_id = models.BigIntegerField()
    user_owner_id = models.BigIntegerField()
    app_name = models.TextField()
    user_id = models.TextField()
    session_id = models.TextField()
    create_time = models.DateTimeField()
    expire_time = models.DateTimeField()
    delete_time = models.DateTimeField()
    rule = models.TextField()
    actor = models.TextField()
    event_count = models.IntegerField()
    is_hashed = models.BooleanField(default=False)

    class Meta:
        db_table = "statecore_receipt"
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["user_owner_id", "session_id"], name="statecore_receipt_key"),
            models.Index(fields=["delete_time"], name="statecore_receipt_time"),
        ]

    def __str__(self) -> str:
        return f"receipt of session {self.id}"


class Subject(models.Model):
    """Resolves the random id that audit records hold instead of an end user's. Erasing a person deletes the row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    app_name = models.TextField()
    user_id = models.TextField()

    class Meta:
        db_table = "statecore_subject"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["app_name", "user_id"], name="statecore_subject_name"),
        ]

    def __str__(self) -> str:
        return f"subject {self.id}"


class Audit(models.Model):
    """Who did what, append-only: a trigger refuses update, delete and truncate."""

    id = models.BigAutoField(primary_key=True)
    slot = models.SmallIntegerField()
    time = models.DateTimeField()
    actor = models.TextField()
    verb = models.TextField()
    outcome = models.TextField()
    app_name = models.TextField(default="")
    subject_ref = models.UUIDField(null=True)
    session_ref = models.BigIntegerField(null=True)
    seq = models.IntegerField(null=True)
    reason = models.TextField(default="")
    ticket = models.TextField(default="")
    origin = models.TextField(default="")
    detail = models.JSONField(default=dict)

    class Meta:
        db_table = "statecore_audit"
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["actor", "id"], name="statecore_audit_actor"),
            models.Index(fields=["app_name", "id"], name="statecore_audit_app"),
            models.Index(fields=["subject_ref", "id"], name="statecore_audit_subject"),
            models.Index(fields=["session_ref", "id"], name="statecore_audit_session"),
            models.Index(fields=["time"], name="statecore_audit_time"),
        ]

    def __str__(self) -> str:
        return f"audit record {self.id}"


class Job(models.Model):
    """Long work as a row with a lease: the row is the truth, a message only a wake-up."""

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField()
    status = models.TextField(default="waiting")
    app_name = models.TextField(default="")
    actor = models.TextField()
    parameters = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    error = models.TextField(default="")
    done_count = models.BigIntegerField(default=0)
    total_count = models.BigIntegerField(null=True)
    failed_count = models.BigIntegerField(default=0)
    attempt_count = models.IntegerField(default=0)
    is_cancel_requested = models.BooleanField(default=False)
    lease_holder = models.TextField(default="")
    lease_until = models.DateTimeField(null=True)
    create_time = models.DateTimeField()
    start_time = models.DateTimeField(null=True)
    finish_time = models.DateTimeField(null=True)

    class Meta:
        db_table = "statecore_job"
        indexes: ClassVar[list[Any]] = [models.Index(fields=["status", "lease_until"], name="statecore_job_lease")]

    def __str__(self) -> str:
        return f"{self.kind} job {self.id}"
