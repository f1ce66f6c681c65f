"""A private PostgreSQL server for one folder: started on first use, stopped when its last user ends.

``EmbeddedServer`` is the whole interface; nothing in it needs Django. Django projects name
``statecore.embedded.backend`` as the ``ENGINE`` of a database and give the folder as ``OPTIONS["var"]``.
"""

from __future__ import annotations

from statecore.embedded.binaries import Binaries
from statecore.embedded.errors import EmbeddedServerError
from statecore.embedded.layout import ConnectionInfo
from statecore.embedded.server import EmbeddedServer

__all__ = ["Binaries", "ConnectionInfo", "EmbeddedServer", "EmbeddedServerError"]
