"""Making Python values JSON-safe, faithfully first: for callers in process, who hand in objects.

Over HTTP nothing is made safe: what is not JSON is refused there.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import math
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any

from statecore.core.errors import NotJsonError

Warn = Callable[[str, str], None]
_MAX_DEPTH = 100


def make_json_safe(value: Any, *, path: str = "", warn: Warn) -> Any:
    """Return ``value`` as JSON.

    Faithful: JSON itself, dates and times (ISO 8601), durations (seconds), enums (their value), UUIDs and paths (text),
    bytes (base64), decimals (exact numbers), dataclasses, pydantic models, tuples and sets (lists). Anything else
    becomes text, and ``warn(path, type name)`` hears of it. NaN and Infinity raise NotJsonError naming the path: they
    never become text. The input is not changed.
    """
    return _Converter(warn).convert(value, path, _MAX_DEPTH)


class _Converter:
    def __init__(self, warn: Warn) -> None:
        self._warn = warn

    def convert(self, value: Any, path: str, depth: int) -> Any:
        if depth <= 0:
            return self._as_text(value, path)
        if isinstance(value, Enum):
            return self.convert(value.value, path, depth - 1)
        if value is None or isinstance(value, bool | str | int):
            return _plain(value)
        if isinstance(value, float | Decimal):
            return _finite(value, path)
        if isinstance(value, Mapping):
            return self._convert_mapping(value, path, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return [self.convert(item, f"{path}[{index}]", depth - 1) for index, item in enumerate(value)]
        return self._convert_object(value, path, depth)

    def _convert_mapping(self, value: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
        result = {}
        for key, item in value.items():
            name = key if isinstance(key, str) else self._key(key, path)
            result[name] = self.convert(item, f"{path}.{name}" if path else name, depth - 1)
        return result

    def _key(self, key: Any, path: str) -> str:
        self._warn(path, f"key of type {type(key).__name__}")
        return str(key.value if isinstance(key, Enum) else key)

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
            return self.convert(fields, path, depth - 1)
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            return self.convert(dump(mode="python"), path, depth - 1)
        return self._as_text(value, path)

    def _as_text(self, value: Any, path: str) -> str:
        self._warn(path, type(value).__name__)
        return str(value)


def _plain(value: Any) -> Any:
    """Return the plain value of a subclass of str or int, as json.dumps writes it."""
    for plain in (bool, str, int):
        if isinstance(value, plain):
            return plain(value)
    return value


def _finite(value: float | Decimal, path: str) -> float | Decimal:
    if not math.isfinite(value):
        raise NotJsonError(path, "is not a number that JSON can hold (NaN or Infinity)")
    return value if isinstance(value, Decimal) else float(value)
