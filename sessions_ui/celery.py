"""The Celery application: `celery -A sessions_ui.celery worker`, and `beat` beside it."""

from __future__ import annotations

import warnings
from typing import Any

from celery import Celery, signals
from celery.exceptions import SecurityWarning
from django.conf import settings

from sessions_ui.startup import read_settings

read_settings()
# Root is what a container has, and only JSON is accepted from the broker.
warnings.filterwarnings("ignore", category=SecurityWarning, module="celery")
app = Celery("sessions_ui", set_as_current=True)
app.conf.update(settings.CELERY)
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Celery leaves the logs as the settings made them once somebody listens to this signal."""


@signals.beat_init.connect
def run_at_start(**_: Any) -> None:
    """Run the hourly tasks when the scheduler starts too, for a dashboard that never runs for an hour."""
    for entry in settings.CELERY["beat_schedule"].values():
        app.send_task(entry["task"])
