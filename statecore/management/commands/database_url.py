"""``manage.py database_url``: where the database is."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.utils import OperationalError

# Options of Django's, not of libpq's.
DJANGO_OPTIONS = {"var", "pool", "isolation_level", "server_side_binding", "assume_role"}


class Command(BaseCommand):
    """Print one line: the libpq URL of the default database, password included."""

    help = (
        "Prints the libpq URL of the database, with its password. An embedded database is started, and runs "
        "for as long as this project's other processes do."
    )
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the URL; CommandError if an embedded database cannot be started."""
        settings = connection.settings_dict
        if "var" in settings["OPTIONS"]:
            try:
                connection.ensure_connection()
            except OperationalError as error:
                raise CommandError(str(error)) from error
        self.stdout.write(libpq_url(settings))


def libpq_url(settings: dict[str, Any]) -> str:
    """Write a Django database setting as a URL; a host that is a socket folder becomes a parameter."""
    host, port = str(settings["HOST"] or ""), str(settings["PORT"] or "")
    options = {
        name: value
        for name, value in settings["OPTIONS"].items()
        if name not in DJANGO_OPTIONS and isinstance(value, str | int)
    }
    account = quote(settings["USER"] or "", safe="")
    if settings["PASSWORD"]:
        account += ":" + quote(settings["PASSWORD"], safe="")
    if host.startswith("/"):
        options |= {"host": host} | ({"port": port} if port else {})
        place = ""
    else:
        place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    address = f"{account}@{place}" if account else place
    query = "?" + urlencode(options, quote_via=quote, safe="") if options else ""
    return f"postgresql://{address}/{quote(settings['NAME'] or '', safe='')}{query}"
