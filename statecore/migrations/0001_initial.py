"""The tables."""

from __future__ import annotations

import uuid

import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

import statecore.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="State",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "owner_ref", "key", "slot", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("owner_ref", models.BigIntegerField()),
                ("position", models.BigIntegerField()),
                ("slot", models.SmallIntegerField()),
                ("key", models.TextField(db_collation="C")),
                ("value", statecore.fields.VerbatimJSONField(null=True)),
            ],
            options={
                "db_table": "statecore_state",
            },
        ),
        migrations.CreateModel(
            name="StateChange",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "owner_ref",
                        "key",
                        "position",
                        "slot",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("owner_ref", models.BigIntegerField()),
                ("position", models.BigIntegerField()),
                ("session_ref", models.BigIntegerField(null=True)),
                ("audit_ref", models.BigIntegerField(null=True)),
                ("seq", models.IntegerField()),
                ("slot", models.SmallIntegerField()),
                ("kind", models.SmallIntegerField()),
                ("key", models.TextField(db_collation="C")),
                ("value", statecore.fields.VerbatimJSONField(null=True)),
            ],
            options={
                "db_table": "statecore_state_change",
            },
        ),
        migrations.CreateModel(
            name="Audit",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("slot", models.SmallIntegerField()),
                ("time", models.DateTimeField()),
                ("actor", models.TextField()),
                ("verb", models.TextField()),
                ("outcome", models.TextField()),
                ("app_name", models.TextField(default="")),
                ("subject_ref", models.UUIDField(null=True)),
                ("session_ref", models.BigIntegerField(null=True)),
                ("seq", models.IntegerField(null=True)),
                ("reason", models.TextField(default="")),
                ("ticket", models.TextField(default="")),
                ("origin", models.TextField(default="")),
                ("detail", models.JSONField(default=dict)),
            ],
            options={
                "db_table": "statecore_audit",
                "indexes": [
                    models.Index(fields=["actor", "id"], name="statecore_audit_actor"),
                    models.Index(fields=["app_name", "id"], name="statecore_audit_app"),
                    models.Index(fields=["subject_ref", "id"], name="statecore_audit_subject"),
                    models.Index(fields=["session_ref", "id"], name="statecore_audit_session"),
                    models.Index(fields=["time"], name="statecore_audit_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("session_ref", models.BigIntegerField()),
                ("slot", models.SmallIntegerField()),
                ("reason", models.TextField()),
                ("actor", models.TextField()),
                ("create_time", models.DateTimeField()),
                ("end_time", models.DateTimeField()),
                ("release_time", models.DateTimeField(null=True)),
                ("release_actor", models.TextField(default="")),
            ],
            options={
                "db_table": "statecore_hold",
                "indexes": [models.Index(fields=["session_ref", "slot"], name="statecore_hold_session")],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.TextField()),
                ("status", models.TextField(default="waiting")),
                ("app_name", models.TextField(default="")),
                ("actor", models.TextField()),
                ("parameters", models.JSONField(default=dict)),
                ("result", models.JSONField(default=dict)),
                ("error", models.TextField(default="")),
                ("done_count", models.BigIntegerField(default=0)),
                ("total_count", models.BigIntegerField(null=True)),
                ("failed_count", models.BigIntegerField(default=0)),
                ("attempt_count", models.IntegerField(default=0)),
                ("is_cancel_requested", models.BooleanField(default=False)),
                ("lease_holder", models.TextField(default="")),
                ("lease_until", models.DateTimeField(null=True)),
                ("create_time", models.DateTimeField()),
                ("start_time", models.DateTimeField(null=True)),
                ("finish_time", models.DateTimeField(null=True)),
            ],
            options={
                "db_table": "statecore_job",
                "indexes": [models.Index(fields=["status", "lease_until"], name="statecore_job_lease")],
            },
        ),
        migrations.CreateModel(
            name="Owner",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("slot", models.SmallIntegerField()),
                ("app_name", models.TextField()),
                ("user_id", models.TextField(null=True)),
                ("create_time", models.DateTimeField()),
                ("policy_ttl", models.DurationField(null=True)),
                ("is_policy_sliding", models.BooleanField(default=False)),
            ],
            options={
                "db_table": "statecore_owner",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("app_name", "user_id", "slot"), name="statecore_owner_name", nulls_distinct=False
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "slot",
                                django.db.models.expressions.CombinedExpression(
                                    models.F("id"), "&", models.Value(4095)
                                ),
                            )
                        ),
                        name="statecore_owner_slot",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("slot", models.SmallIntegerField()),
                ("app_owner_id", models.BigIntegerField()),
                ("user_owner_id", models.BigIntegerField()),
                ("app_name", models.TextField()),
                ("user_id", models.TextField()),
                ("session_id", models.TextField()),
                ("create_time", models.DateTimeField()),
                ("expire_time", models.DateTimeField()),
                ("delete_time", models.DateTimeField()),
                ("rule", models.TextField()),
                ("actor", models.TextField()),
                ("event_count", models.IntegerField()),
                ("is_hashed", models.BooleanField(default=False)),
            ],
            options={
                "db_table": "statecore_receipt",
                "indexes": [
                    models.Index(fields=["user_owner_id", "session_id"], name="statecore_receipt_key"),
                    models.Index(fields=["delete_time"], name="statecore_receipt_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("app_owner_id", models.BigIntegerField()),
                ("user_owner_id", models.BigIntegerField()),
                ("create_gid", models.BigIntegerField()),
                ("revision", models.IntegerField(default=0)),
                ("error_count", models.IntegerField(default=0)),
                ("edit_count", models.IntegerField(default=0)),
                ("slot", models.SmallIntegerField()),
                ("create_time", models.DateTimeField()),
                ("receive_time", models.DateTimeField()),
                ("active_at", models.DateTimeField()),
                ("expire_time", models.DateTimeField()),
                ("hold_until", models.DateTimeField(null=True)),
                ("sliding_ttl", models.DurationField(null=True)),
                ("update_time", models.FloatField()),
                ("expire_rule", models.TextField()),
                ("origin", models.TextField()),
                ("session_id", models.TextField()),
                ("display_name", models.TextField(default="")),
                ("labels", models.JSONField(default=dict)),
                (
                    "user_owner",
                    models.ForeignObject(
                        from_fields=["user_owner_id", "slot"],
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="sessions",
                        to="statecore.owner",
                        to_fields=["id", "slot"],
                    ),
                ),
            ],
            options={
                "db_table": "statecore_session",
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "session_ref", "seq", "slot", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("session_ref", models.BigIntegerField()),
                ("gid", models.BigIntegerField()),
                ("timestamp", models.FloatField()),
                ("receive_time", models.DateTimeField()),
                ("seq", models.IntegerField()),
                ("slot", models.SmallIntegerField()),
                ("kind", models.SmallIntegerField()),
                ("flags", models.SmallIntegerField()),
                ("event_id", models.TextField()),
                ("invocation_id", models.TextField()),
                ("author", models.TextField()),
                ("payload", statecore.fields.VerbatimJSONField()),
                (
                    "session",
                    models.ForeignObject(
                        from_fields=["session_ref", "slot"],
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="events",
                        to="statecore.session",
                        to_fields=["id", "slot"],
                    ),
                ),
            ],
            options={
                "db_table": "statecore_event",
            },
        ),
        migrations.CreateModel(
            name="Subject",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("app_name", models.TextField()),
                ("user_id", models.TextField()),
            ],
            options={
                "db_table": "statecore_subject",
                "constraints": [models.UniqueConstraint(fields=("app_name", "user_id"), name="statecore_subject_name")],
            },
        ),
        migrations.AddIndex(
            model_name="owner",
            index=models.Index(fields=["user_id"], name="statecore_owner_user"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["app_owner_id", "active_at", "id"], name="statecore_session_app"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["user_owner_id", "active_at", "id"], name="statecore_session_user"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["active_at", "id"], name="statecore_session_recent"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["expire_time", "id"], name="statecore_session_expire"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["session_id"], name="statecore_session_prefix", opclasses=["text_pattern_ops"]),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.UniqueConstraint(
                fields=("user_owner_id", "session_id", "slot"), name="statecore_session_key"
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(fields=("session_ref", "event_id", "slot"), name="statecore_event_id"),
        ),
    ]
