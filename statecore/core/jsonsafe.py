"""Making Python values JSON-safe, faithfully first: for callers in process, who hand in objects.

Over HTTP nothing is made safe: what is not JSON is refused there.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import math
import uuid
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any

from statecore.core.errors import NotJsonError
from statecore.core.jsontext import dump_json
from statecore.core.limits import DEFAULT_LIMITS

Warn = Callable[[str, str], None]


def make_json_safe(value: Any, *, path: str = "", warn: Warn) -> Any:
    """Return ``value`` as JSON.

    Faithful: JSON itself, dates and times (ISO 8601), durations (seconds), enums (their value), UUIDs and paths (text),
    bytes (base64), decimals (exact numbers), dataclasses, pydantic models (as they write JSON, by alias), tuples and
    sets (lists; a set's is sorted, so that it is the same each time). Anything else, and what is nested deeper than can
    be stored, becomes text, and ``warn(path, type name)`` hears of it. NaN and Infinity raise NotJsonError naming the
    path: they never become text. The input is not changed.
    """
    return _Converter(warn).convert(value, path, DEFAULT_LIMITS.depth)


class _Converter:
    def __init__(self, warn: Warn) -> None:
        self._warn = warn

    def convert(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, Enum):
            return self.convert(value.value, path, depth)
        if value is None or isinstance(value, bool | str | int | float | Decimal):
            return _plain(value, path)
        if depth <= 0:
            return self._as_text(value, path)
        if isinstance(value, Mapping):
            return self._convert_mapping(value, path, depth)
        if isinstance(value, list | tuple):
            return self._convert_items(value, path, depth)
        if isinstance(value, set | frozenset):
            return sorted(self._convert_items(value, path, depth), key=dump_json)
        return self._convert_object(value, path, depth)

    def _convert_mapping(self, value: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
        result = {}
        for key, item in value.items():
            name = self._key(key, path)
            result[name] = self.convert(item, f"{path}.{name}" if path else name, depth - 1)
        return result

    def _convert_items(self, items: Iterable[Any], path: str, depth: int) -> list[Any]:
        return [self.convert(item, f"{path}[{index}]", depth - 1) for index, item in enumerate(items)]

    def _key(self, key: Any, path: str) -> str:
        name = key.value if isinstance(key, Enum) else key
        if isinstance(name, str):
            return str.__str__(name)
        self._warn(path, f"key of type {type(key).__name__}")
        return str(name)

    def _convert_object(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, dt.datetime | dt.date | dt.time):
            return value.isoformat()
        if isinstance(value, dt.timedelta):
            return value.total_seconds()
        if isinstance(value, uuid.UUID | PurePath):
            return str(value)
        if isinstance(value, bytes | bytearray):
            return base64.b64encode(value).decode()
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return self._convert_mapping(fields, path, depth)
        if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
            return self.convert(_dump_model(value), path, depth - 1)
        return self._as_text(value, path)

    def _as_text(self, value: Any, path: str) -> str:
        self._warn(path, type(value).__name__)
        return str(value)


def _dump_model(model: Any) -> Any:
    try:
        return model.model_dump(mode="json", by_alias=True)
    except (TypeError, ValueError):  # a field holds what pydantic has no JSON for
        return model.model_dump(mode="python", by_alias=True)


def _plain(value: Any, path: str) -> Any:
    """Return a scalar as JSON writes it: subclasses lose their class, and with it their own spelling."""
    if isinstance(value, float | Decimal):
        if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
            raise NotJsonError(path, "is not a number that JSON can hold (NaN or Infinity)")
        return value if isinstance(value, Decimal) else float(value)
    if isinstance(value, str):
        return str.__str__(value)
    return value if value is None or isinstance(value, bool) else int(value)
