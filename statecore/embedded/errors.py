"""What can go wrong with the embedded server."""

from __future__ import annotations


class EmbeddedServerError(Exception):
    """The embedded server cannot be used now; the message is one line that says what to do next."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
