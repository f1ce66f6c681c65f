"""As whom the server runs: PostgreSQL refuses to run as root.

Root's private folders stay as private as they are. Instead the server either runs as ``nobody`` with the one
capability that lets it pass through them, or, where users cannot be changed, in a user namespace in which root
has another number. Both are command prefixes made of util-linux programs.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from statecore.embedded.errors import EmbeddedServerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# "nobody" almost everywhere, and in a user namespace every user that has no number there
OVERFLOW_UID = 65534
STATUS = Path("/proc/self/status")
# capabilities(7): numbers of the bits in CapEff
CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, KILL = 0, 1, 2, 5
# What root needs to serve a server of another user: hand folders over, reach its socket, stop it.
KEEPER_NEEDS = (CHOWN, DAC_OVERRIDE, KILL)


@dataclass(frozen=True, slots=True)
class Identity:
    """The user that owns the server's files, and the command prefix that makes a program run as it."""

    uid: int
    gid: int
    prefix: tuple[str, ...]

    def command(self, *words: str) -> list[str]:
        """``words`` as a command run under this identity."""
        return [*self.prefix, *words]


def choose_identity(program: str) -> Identity:
    """Return the first identity under which ``program`` runs; EmbeddedServerError if there is none."""
    for identity in identities():
        if _runs(identity.command(program, "--version")):
            return identity
    raise EmbeddedServerError(
        "PostgreSQL refuses to run as root, and this system lets root neither change users (setpriv) nor make "
        "a user namespace (unshare): run as another user, install util-linux, "
        "or set DATABASE_URL to a PostgreSQL server"
    )


def identities() -> Iterator[Identity]:
    """Who the server may run as here, best first."""
    dying_with_parent = ("setpriv", "--pdeathsig", "INT")
    if os.geteuid() != 0:
        yield Identity(os.geteuid(), os.getegid(), dying_with_parent)
        yield Identity(os.geteuid(), os.getegid(), ())  # no setpriv, as on macOS
        return
    capabilities = effective_capabilities()
    if all(capabilities >> needed & 1 for needed in KEEPER_NEEDS):
        passing = "dac_read_search" if capabilities >> DAC_READ_SEARCH & 1 else "dac_override"
        yield _as_nobody(passing)
    yield _in_namespace(dying_with_parent)


def effective_capabilities() -> int:
    """Return our effective capabilities as bits; none where the system has no such thing."""
    try:
        status = STATUS.read_text()
    except OSError:
        return 0
    return next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)


def _as_nobody(capability: str) -> Identity:
    """``nobody`` with ``capability``, also in access(2), with which PostgreSQL checks its own path."""
    try:
        account = pwd.getpwnam("nobody")
        uid, gid = account.pw_uid, account.pw_gid
    except KeyError:
        uid = gid = OVERFLOW_UID
    prefix = (
        "setpriv",
        f"--reuid={uid}",
        f"--regid={gid}",
        "--clear-groups",
        "--no-new-privs",
        "--securebits=+no_setuid_fixup",
        f"--inh-caps=-all,+{capability}",
        f"--ambient-caps=-all,+{capability}",
        f"--bounding-set=-all,+{capability}",
        "--pdeathsig",
        "INT",
    )
    return Identity(uid, gid, prefix)


def _in_namespace(inner_prefix: tuple[str, ...]) -> Identity:
    """Root under the number of some account: initdb asks for an account's name."""
    number = next((a.pw_uid for a in pwd.getpwall() if a.pw_uid not in (0, OVERFLOW_UID)), 1)
    mapping = (f"--map-user={number}", f"--map-group={number}")
    return Identity(0, 0, ("unshare", "--user", *mapping, *inner_prefix))


def _runs(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def give(folder: Path, identity: Identity) -> None:
    """Make ``folder`` and all in it the property of ``identity``, if it is not already."""
    if folder.lstat().st_uid == identity.uid:
        return
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.lchown(Path(parent, name), identity.uid, identity.gid)
    os.lchown(folder, identity.uid, identity.gid)  # last: an interrupted walk is begun again
