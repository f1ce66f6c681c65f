"""`make run`: everything the dashboard needs, from an empty folder to a page in the browser, until Ctrl-C."""

from __future__ import annotations

import os
import socket
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from sessions_ui import demo_logins
from sessions_ui.actions import first_admin
from sessions_ui.supervisor import Supervisor, read_procfile


class Command(BaseCommand):
    """Prepares the database, the static files and the demo, then runs the processes of the Procfile."""

    help = "Prepare everything and run the web server, the worker and the scheduler until Ctrl-C."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until somebody asks for the end; CommandError if a process ended by itself."""
        require_free_port(settings.HOST, settings.PORT)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        self._prepare_logins()
        commands = read_procfile(settings.BASE_DIR / "Procfile")
        ended = Supervisor(commands, settings.BASE_DIR).run()
        if ended:
            raise CommandError(f"{ended} ended by itself, so all was stopped; its last lines above say why")
        self.stdout.write("Stopped.")

    def _prepare_logins(self) -> None:
        host = f"[{settings.HOST}]" if ":" in settings.HOST else settings.HOST
        url = f"http://{host}:{settings.PORT}/"
        self._say(f"Statecore: {url}")
        names = self._allow_demo_logins() if settings.IS_LOOPBACK else self._refuse_demo_logins()
        if not first_admin.is_set_up():
            self._say(f"The first login is made once, at {url}setup/?token={first_admin.offer_token()}")
        elif not names and not User.objects.filter(is_active=True).exists():
            self._say("Nobody can log in yet: `manage.py create_admin` makes the first login.")

    def _allow_demo_logins(self) -> list[str]:
        password = demo_logins.choose_password(settings.VAR, os.environ.get("DEMO_PASSWORD"))
        if not apps.get_model("statecore", "Session").objects.exists():
            self._say("Making the demo; this happens once.")
            os.environ["DEMO_PASSWORD"] = password
            call_command("seed_demo")
            demo_logins.keep_password(settings.VAR, password)
        names = demo_logins.allow(settings.VAR, password)
        if names:
            self._say(f"Demo logins: {', '.join(names)}; password: {password}")
        return names

    def _refuse_demo_logins(self) -> list[str]:
        demo_logins.refuse(settings.VAR)
        self._say("Demo logins are off on this address.")
        return []

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def require_free_port(host: str, port: int) -> None:
    """Raise CommandError if nobody can listen on ``port`` of ``host`` now."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(
            f"cannot listen on {host} port {port} ({reason}): set PORT to a free one, or stop what uses it"
        ) from error
