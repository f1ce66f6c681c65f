"""Background work. Each task is safe to run twice, at once or again."""

from __future__ import annotations

import logging
from importlib import import_module

from celery import shared_task
from django.conf import settings

logger = logging.getLogger(__name__)


@shared_task
def clear_login_sessions() -> None:
    """Delete the login sessions whose time is over."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    store.clear_expired()
    logger.info("cleared expired login sessions")
