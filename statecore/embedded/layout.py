"""Where the embedded server keeps its files, and the address its socket has."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from statecore.embedded.errors import EmbeddedServerError

NAME = "statecore"
PORT = 5432  # only the suffix of the socket's file name: the server listens on no network
SOCKET_FILE = f".s.PGSQL.{PORT}"
LONGEST_SOCKET_PATH = 100  # bytes; sun_path holds 108 on Linux and 104 on macOS, terminator and all
SHORT_PARENT = Path("/tmp")  # noqa: S108 - the same for every process of a user, which TMPDIR is not


@dataclass(frozen=True, slots=True)
class ConnectionInfo:
    """How a libpq client reaches the embedded database."""

    host: str
    port: int = PORT
    user: str = NAME
    dbname: str = NAME

    @property
    def url(self) -> str:
        """The address as one libpq URL."""
        host = quote(self.host, safe="")
        return f"postgresql://{self.user}@/{quote(self.dbname, safe='')}?host={host}&port={self.port}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one embedded server; ``var`` is absolute and without symbolic links."""

    var: Path

    @classmethod
    def of(cls, var: Path) -> Layout:
        """Lay out ``var``, however its path was spelled."""
        return cls(Path(os.path.realpath(var)))

    @property
    def root(self) -> Path:
        """The private folder that holds everything else."""
        return self.var / "postgres"

    @property
    def data(self) -> Path:
        """The data folder; it exists only once it is complete."""
        return self.root / "data"

    @property
    def unfinished_data(self) -> Path:
        """A data folder being made."""
        return self.root / "data.unfinished"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.root / "log"

    @property
    def lease(self) -> Path:
        """Locked shared by every process that uses the server, and exclusively by a keeper that stops it."""
        return self.root / "lease"

    @property
    def start(self) -> Path:
        """Locked by the one process that is starting a keeper."""
        return self.root / "start.lock"

    @property
    def keeper(self) -> Path:
        """Locked by the keeper for as long as it lives."""
        return self.root / "keeper.lock"

    @property
    def server(self) -> Path:
        """Locked for as long as any process of the server lives, orphans included."""
        return self.root / "server.lock"

    @property
    def mark(self) -> str:
        """The cluster's name: it stands in the command line of each process of this server and no other."""
        return f"{NAME}-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]}"

    @property
    def has_short_path(self) -> bool:
        """Whether a socket inside ``root`` has a path that the system takes."""
        return len(os.fsencode(self.root / "run" / SOCKET_FILE)) <= LONGEST_SOCKET_PATH

    @property
    def run(self) -> Path:
        """The private folder of the socket."""
        return (self.root if self.has_short_path else SHORT_PARENT / self.mark) / "run"

    @property
    def info(self) -> ConnectionInfo:
        """The address of the database; known before the server runs."""
        return ConnectionInfo(host=str(self.run))

    def prepare(self) -> None:
        """Make the private folder; raises EmbeddedServerError where that is impossible."""
        try:
            self.var.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(self.root)
        except OSError as error:
            raise unwritable(self.root, error) from error


def make_private(folder: Path) -> None:
    """Make ``folder`` with rights for its owner alone; a folder that is somebody else's is refused."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise EmbeddedServerError(
            f"{folder} belongs to another user: remove it, run as its owner, or set STATECORE_VAR to another folder"
        )
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)


def unwritable(folder: Path, error: OSError) -> EmbeddedServerError:
    """Return the error for a folder that cannot be written, full disks included."""
    return EmbeddedServerError(
        f"cannot write to {folder} ({error.strerror}): make room or give yourself the rights to it, "
        "set STATECORE_VAR to another folder, or set DATABASE_URL to a PostgreSQL server"
    )
