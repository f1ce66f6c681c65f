"""What the dashboard keeps for itself."""

from __future__ import annotations
