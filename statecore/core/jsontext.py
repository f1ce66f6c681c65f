"""JSON in and out, exactly: what comes in is refused with its path or comes back as it was.

Numbers survive: integers of any length up to the limit, floats by their shortest spelling, and a number that no float
holds exactly (``0.1234567890123456789012345``, ``1e-400``) as a :class:`decimal.Decimal`. NaN, Infinity, numbers beyond
the float range (``1e400``), U+0000 and lone surrogates are refused: JSON or PostgreSQL cannot hold them.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from statecore.core.errors import NotJsonError, TooLargeError
from statecore.core.limits import DEFAULT_LIMITS, Limits

_DECIMAL = re.compile(r'"\\u0000([^"]*)"')
_SHORT_PATH = 200
_PLAIN_INT = 10**15
_MAX_FLOAT = Decimal(sys.float_info.max)


def parse_json(text: str | bytes, *, path: str = "", limits: Limits = DEFAULT_LIMITS) -> Any:
    """Parse and check a text from outside. Raises NotJsonError or TooLargeError naming path, line and column."""
    decoded = _decode(text, path=path, limits=limits)
    try:
        value = json.loads(
            decoded, parse_float=_parse_float, parse_int=_int_parser(limits), parse_constant=_parse_constant
        )
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise NotJsonError(path, reason) from None
    except RecursionError:
        raise _too_deep(path, limits) from None
    check_json(value, path=path, limits=limits)
    return value


def load_json(text: str) -> Any:
    """Parse a text that was checked when it was stored."""
    return json.loads(text, parse_float=_parse_float)


def dump_json(value: Any) -> str:
    """Return the compact text of a checked value: key order kept, numbers exact, characters as they are."""
    return _dump(value, sort_keys=False)


def json_equal(left: Any, right: Any) -> bool:
    """Whether two checked values are the same JSON: key order is free, ``1``, ``1.0`` and ``true`` differ."""
    return _dump(left, sort_keys=True) == _dump(right, sort_keys=True)


def json_texts_equal(left: str, right: str) -> bool:
    """Whether two stored texts are the same JSON."""
    return left == right or json_equal(load_json(left), load_json(right))


def check_json(value: Any, *, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
    """Raise NotJsonError or TooLargeError naming the path unless ``value`` is strictly JSON that can be stored."""
    # Paths are put together only when there is something to say: 3x faster for the clean 1 KB event of an append.
    if not _is_clean(value, limits, limits.depth):
        _check(value, path, limits, limits.depth)


def check_text(value: object, *, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
    """Raise NotJsonError or TooLargeError naming the path unless ``value`` is text that can be stored."""
    if not isinstance(value, str):
        raise NotJsonError(path, f"must be text, not {type(value).__name__}")
    _check_text(value, path, limits)


def check_size(text: str, *, path: str, limits: Limits = DEFAULT_LIMITS) -> None:
    """Raise TooLargeError if a checked text has more bytes than a body may have."""
    if _is_longer(text, limits.body_bytes):
        raise TooLargeError(path, f"has more than {limits.body_bytes} bytes")


def _is_longer(text: str, size: int) -> bool:
    """Whether a text has more bytes than ``size``; of few it takes more than their length to know."""
    return len(text) > size or (len(text) * 4 > size and not text.isascii() and len(text.encode()) > size)


def _decode(text: str | bytes, *, path: str, limits: Limits) -> str:
    if len(text) > limits.body_bytes:
        raise TooLargeError(path, f"has {len(text)} bytes; at most {limits.body_bytes} are allowed")
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotJsonError(path, f"is not UTF-8 text (byte {error.start})") from None


def _dump(value: Any, *, sort_keys: bool) -> str:
    text = (_SORTING_ENCODER if sort_keys else _ENCODER).encode(value)
    return _DECIMAL.sub(r"\1", text) if "\\u0000" in text else text


def _encode_other(item: Any) -> str | dict[str, Any]:
    # U+0000 is in no checked text, so it marks what has to lose its quotes again.
    if isinstance(item, Decimal):
        return f"\0{item}"
    if isinstance(item, Mapping):
        return dict(item)
    raise TypeError(f"{type(item).__name__} is not JSON")


# Made once: json.dumps makes an encoder a call.
_ENCODER, _SORTING_ENCODER = (
    json.JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=sort_keys, default=_encode_other
    )
    for sort_keys in (False, True)
)


def _parse_float(text: str) -> float | Decimal:
    number = float(text)
    if repr(number) == text or math.isinf(number):
        return number
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return math.nan  # an exponent of 19 digits, which nobody can hold; the check names its path
    return number if Decimal(repr(number)) == exact else exact


def _int_parser(limits: Limits) -> Callable[[str], int | Decimal]:
    def parse(text: str) -> int | Decimal:
        # Longer ones stay text-like until the check names their path; int() of 4,301 digits raises.
        return int(text) if len(text) <= limits.number_digits + 1 else Decimal(text)

    return parse


def _parse_constant(text: str) -> float:
    return float(text)


def _is_clean(value: Any, limits: Limits, depth: int) -> bool:
    """Whether ``value`` is plainly fine; False sends it to the check that knows paths and has the last word."""
    if depth < 0:
        return False
    kind = type(value)
    if kind is str:
        return _is_plain_text(value, limits)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not _is_plain_text(key, limits) or not _is_clean(item, limits, depth - 1):
                return False
        return depth > 0
    if kind is list:
        for item in value:
            if not _is_clean(item, limits, depth - 1):
                return False
        return depth > 0
    if kind is int:
        return bool(-_PLAIN_INT < value < _PLAIN_INT)
    return value is None or kind is bool or (kind is float and math.isfinite(value))


def _is_plain_text(text: str, limits: Limits) -> bool:
    return text.isascii() and "\0" not in text and len(text) <= limits.value_bytes


def _check(value: Any, path: str, limits: Limits, depth: int) -> None:
    kind = type(value)
    if kind is str:
        _check_text(value, path, limits)
    elif value is None or kind is bool:
        return
    elif kind is int or kind is float or kind is Decimal:
        _check_number(value, path, limits)
    elif isinstance(value, Mapping):
        _check_depth(depth, path, limits)
        for key, item in value.items():
            if type(key) is not str:
                raise NotJsonError(path, f"has a key that is not text but {type(key).__name__}")
            child = f"{path}.{key}" if path else key
            _check_text(key, child, limits)
            _check(item, child, limits, depth - 1)
    elif kind is list:
        _check_depth(depth, path, limits)
        for index, item in enumerate(value):
            _check(item, f"{path}[{index}]", limits, depth - 1)
    else:
        raise NotJsonError(_shorten(path), f"is not JSON but {kind.__name__}")


def _check_depth(depth: int, path: str, limits: Limits) -> None:
    if depth <= 0:
        raise _too_deep(path, limits)


def _too_deep(path: str, limits: Limits) -> TooLargeError:
    return TooLargeError(_shorten(path), f"is nested more than {limits.depth} levels deep")


def _check_text(text: str, path: str, limits: Limits) -> None:
    if "\0" in text:
        raise NotJsonError(_shorten(path).replace("\0", "\\u0000"), "holds U+0000, which cannot be stored")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            shown = _shorten(path).encode("ascii", "backslashreplace").decode()
            reason = f"holds the lone surrogate U+{ord(text[error.start]):04X}, which is not text"
            raise NotJsonError(shown, reason) from None
    if _is_longer(text, limits.value_bytes):
        raise TooLargeError(_shorten(path), f"has more than {limits.value_bytes} bytes")


def _check_number(number: float | Decimal, path: str, limits: Limits) -> None:
    if isinstance(number, Decimal):
        if not number.is_finite():
            raise _no_number(path)
        if len(number.as_tuple().digits) > limits.number_digits:
            raise _too_many_digits(path, limits)
        if number.copy_abs() > _MAX_FLOAT:
            raise _no_number(path)
    elif isinstance(number, int):
        # The bits say it at once for nearly all; 10**n has at least 3.32 * n.
        if number.bit_length() > limits.number_digits * 3.32 and abs(number) >= 10**limits.number_digits:
            raise _too_many_digits(path, limits)
    elif not math.isfinite(number):
        raise _no_number(path)


def _no_number(path: str) -> NotJsonError:
    return NotJsonError(_shorten(path), "is not a number that JSON can hold (NaN, Infinity or beyond 1.8e308)")


def _too_many_digits(path: str, limits: Limits) -> TooLargeError:
    return TooLargeError(_shorten(path), f"is a number of more than {limits.number_digits} digits")


def _shorten(path: str) -> str:
    return path if len(path) <= _SHORT_PATH else f"{path[:_SHORT_PATH]}..."
