"""Events and values turned into rows that templates print: pure, masked before they come here, tested without a database."""

from __future__ import annotations
