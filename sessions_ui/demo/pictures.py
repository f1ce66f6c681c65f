"""Pictures drawn for the demo: small PNG files, the same for the same seed."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random


def label_picture(rng: Random, *, width: int = 240, height: int = 120) -> str:
    """Return a parcel label as base64 PNG: a tinted card with bars, such as a scanner sees it."""
    tint = tuple(rng.randint(200, 245) for _ in range(3))
    bars = [rng.random() < 0.5 for _ in range(width)]
    rows = []
    for y in range(height):
        is_bar_row = height * 0.3 < y < height * 0.8
        pixels = bytearray()
        for x in range(width):
            is_dark = is_bar_row and width * 0.1 < x < width * 0.9 and bars[x // 3]
            pixels += bytes((30, 30, 40) if is_dark else tint)
        rows.append(b"\0" + bytes(pixels))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows), 9)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
