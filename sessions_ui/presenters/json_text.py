"""JSON text for reading and copying: indented without being parsed, so that each number stays as it was written."""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def indent_json(text: str) -> str:
    """Return compact JSON over several lines, two blanks a level; empty objects and lists stay on one line."""
    pieces = _PIECE.findall(text)
    out: list[str] = []
    depth = 0
    for position, piece in enumerate(pieces):
        if piece in ("{", "["):
            depth += 1
            out.append(piece if _closes(pieces, position + 1) else f"{piece}\n{'  ' * depth}")
        elif piece in ("}", "]"):
            depth -= 1
            out.append(piece if pieces[position - 1] in ("{", "[") else f"\n{'  ' * depth}{piece}")
        elif piece == ",":
            out.append(f",\n{'  ' * depth}")
        else:
            out.append(": " if piece == ":" else piece)
    return "".join(out)


def _closes(pieces: list[str], position: int) -> bool:
    return position < len(pieces) and pieces[position] in ("}", "]")
