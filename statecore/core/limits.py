"""Limits on what comes in. Settings may change each; the defaults are sane for chat sessions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes of UTF-8 JSON; counts are exact. ``label_length`` also holds for a display name."""

    body_bytes: int = 32 * 1024 * 1024
    value_bytes: int = 16 * 1024 * 1024
    depth: int = 200
    number_digits: int = 1000
    delta_keys: int = 10_000
    key_length: int = 1024
    label_count: int = 64
    label_length: int = 1024


DEFAULT_LIMITS = Limits()
