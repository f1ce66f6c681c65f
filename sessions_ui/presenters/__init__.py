"""Events and values turned into rows that templates print: pure, and masked on the way."""

from __future__ import annotations
