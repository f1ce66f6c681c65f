"""What pages read, through the ORM. Nothing here writes."""

from __future__ import annotations
