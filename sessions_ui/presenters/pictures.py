"""Bytes inside events: decoded, measured and recognised by what they are, never by what they say they are."""

from __future__ import annotations

import base64
from typing import Final

_STANDARD_TO_URL_SAFE: Final = str.maketrans("+/", "-_")


def decode_base64(text: str) -> bytes:
    """Return the bytes of base64 text in either alphabet, padded or not. Raise ``ValueError`` if it is neither."""
    compact = "".join(text.split()).translate(_STANDARD_TO_URL_SAFE).rstrip("=")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), altchars=b"-_", validate=True)
    except ValueError as error:
        raise ValueError(f"not base64: {error}") from error


def decoded_size(text: str) -> int:
    """Return how many bytes base64 text stands for, without decoding it."""
    return len(text.rstrip("=")) * 3 // 4


def picture_type(data: bytes) -> str | None:
    """Return the MIME type of a PNG, JPEG, GIF or WebP by its first bytes, None for everything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def is_picture(text: str) -> bool:
    """Whether base64 text starts like a picture that pages show."""
    try:
        return picture_type(decode_base64("".join(text[:128].split())[:64])) is not None
    except ValueError:
        return False
