"""What people ask for: one function per intent."""

from __future__ import annotations
