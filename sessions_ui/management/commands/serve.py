"""`make run`: everything the dashboard needs, from an empty folder to a page in the browser, until Ctrl-C."""

from __future__ import annotations

import os
import socket
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError

from sessions_ui.settings.environment import kept_secret
from sessions_ui.supervisor import Supervisor, read_procfile

DEMO_USERS = ("viewer", "editor", "admin")


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
        self._say(f"Statecore: http://{host}:{settings.PORT}/")
        if settings.IS_LOOPBACK:
            kept = settings.VAR / "demo_password"
            password = os.environ.get("DEMO_PASSWORD") or kept_secret(kept, length=9)
            self._seed_demo(password)
            self._say(f"Demo logins: {', '.join(DEMO_USERS)}; password: {password}")
        else:
            self._say("Demo logins are off on this address; `manage.py create_admin` makes the first login.")

    def _seed_demo(self, password: str) -> None:
        if "seed_demo" not in get_commands() or apps.get_model("statecore", "Session").objects.exists():
            return
        self._say("Making the demo; this happens once.")
        os.environ["DEMO_PASSWORD"] = password
        call_command("seed_demo")

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
