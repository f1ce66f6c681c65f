"""Use cases over the :class:`~statecore.service.port.SessionStore` port; each takes who acts."""

from __future__ import annotations
