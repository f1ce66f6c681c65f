"""``manage.py seed_demo``: invented sessions and three people to look at them with."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from sessions_ui.demo.people import make_people
from sessions_ui.demo.writer import write_world
from statecore.models import Session


class Command(BaseCommand):
    """Fills an empty database with the demo."""

    help = "Fill an empty database with demo sessions and the users viewer, editor and admin (DEMO_PASSWORD)."

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get("DEMO_PASSWORD", "")
        if not password:
            raise CommandError("set DEMO_PASSWORD to the password that the demo users shall have")
        if Session.objects.exists():
            raise CommandError("there are sessions already; the demo is only made in an empty database")
        # First, for the next start makes anew only a demo that has no sessions yet.
        make_people(password)
        with tqdm(total=None, unit=" acts", disable=not sys.stderr.isatty()) as bar:

            def show(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            count = write_world(datetime.now(UTC), progress=show)
        self.stdout.write(f"made {count} demo sessions")
