"""Files and sessions for tests of the readers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from statecore.interop.files import Found, read_file
from statecore.interop.records import Overrides

if TYPE_CHECKING:
    from pathlib import Path

    from statecore.service.importing import ImportRecord

NOW = 1796083200.0


def make_session(session_id: str = "s1", **fields: Any) -> dict[str, Any]:
    """A session as ADK writes it."""
    return {"id": session_id, "appName": "shop", "userId": "ana", "state": {}, "events": [], **fields}


def make_event(event_id: str | None = "e1", **fields: Any) -> dict[str, Any]:
    """An event as ADK writes it; without an id for None."""
    event = {"id": event_id, "timestamp": 1796079885.5, "author": "user", "invocationId": "i1", **fields}
    return {name: value for name, value in event.items() if value is not None}


def read(folder: Path, content: Any, *, name: str = "file.json", **overrides: str) -> list[Found]:
    """What is found in a file of this content: bytes or text as they are, anything else as JSON."""
    path = folder / name
    if not isinstance(content, bytes):
        content = (content if isinstance(content, str) else json.dumps(content)).encode()
    path.write_bytes(content)
    return list(read_file(path, Overrides(NOW, **overrides)))


def read_one(folder: Path, content: Any, **options: str) -> Found:
    """The only thing that is found."""
    (found,) = read(folder, content, **options)
    return found


def record_of(found: Found) -> ImportRecord:
    """The session that was found; AssertionError with the reason if it was refused."""
    assert found.record is not None, found.refusal
    return found.record


def refusal_of(folder: Path, content: Any, **options: str) -> str:
    """Why the only thing in the file is refused."""
    found = read_one(folder, content, **options)
    assert found.record is None
    return found.refusal
