"""Which events a page shows. Numbers of events are gap-free, so this is arithmetic and needs no query."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events ``first`` to ``last`` of ``revision``; ``selected`` is None for "now"."""

    first: int
    last: int
    revision: int
    selected: int | None

    @property
    def seq(self) -> int:
        """The event whose state the panel shows: the selected one, else the newest."""
        return self.revision if self.selected is None else self.selected

    @property
    def has_older(self) -> bool:
        """Whether there are events before this page."""
        return self.first > 1

    @property
    def has_newer(self) -> bool:
        """Whether there are events after this page."""
        return self.last < self.revision

    @property
    def after(self) -> int:
        """The cursor that shows this page again."""
        return self.first - 1

    @property
    def same_page(self) -> str:
        """What to append to a query to stay on this page."""
        return f"&after={self.after}"

    @property
    def older_seq(self) -> int | None:
        """The event before the one whose state is shown; 0 is the baseline."""
        return self.seq - 1 if self.seq > 0 else None

    @property
    def newer_seq(self) -> int | None:
        """The event after the one whose state is shown."""
        return self.seq + 1 if self.seq < self.revision else None

    @property
    def range_text(self) -> str:
        """Return ``201 to 250 of 1,204``."""
        return f"{self.first:,}\u2013{self.last:,} of {self.revision:,}" if self.revision else "0 of 0"


def choose_events(
    revision: int, *, size: int, at: int | None = None, before: int | None = None, after: int | None = None
) -> EventPage:
    """Return the page that a request asks for: by cursor, else around ``at``, else the newest events.

    Numbers beyond either end are brought to it, so that an old link shows what is nearest.
    """
    selected = None if at is None else min(max(at, 0), revision)
    if before is not None:
        last = min(max(before - 1, min(size, revision)), revision)
        return EventPage(max(1, last - size + 1), last, revision, selected)
    if after is not None:
        first = min(max(after + 1, 1), max(1, revision - size + 1))
    elif selected is not None:
        first = min(max(selected - size // 2, 1), max(1, revision - size + 1))
    else:
        first = max(1, revision - size + 1)
    return EventPage(first, min(revision, first + size - 1), revision, selected)
