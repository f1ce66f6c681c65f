"""The whole session as one picture: events in grey, errors and edits marked, the part on screen framed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sessions_ui.presenters.records import FlaggedBucket
from sessions_ui.presenters.visible_text import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH: Final = 960
HEIGHT: Final = 24
MAX_BUCKETS: Final = 60
MAX_MARKED: Final = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One stretch of events, drawn in user units of the picture; ``title`` says the same in words."""

    x: float
    width: float
    first: int
    title: str
    css: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A picture with its text alternative: the stretches with errors and edits, some in sight, the rest to open."""

    bars: tuple[Bar, ...]
    frame_x: float
    frame_width: float
    summary: str
    marked: tuple[Bar, ...] = ()
    more_marked: tuple[Bar, ...] = ()
    width: int = WIDTH
    height: int = HEIGHT


def bucket_size(revision: int) -> int:
    """Return how many events a bar stands for: 1 as long as each event can have its own."""
    return max(1, -(-revision // MAX_BUCKETS))


def present_strip(
    flagged: Sequence[FlaggedBucket], *, revision: int, first: int, last: int, error_count: int, edit_count: int
) -> Strip | None:
    """Return the picture, None for a session without events. Bucket 0 starts at event 1."""
    if revision < 1:
        return None
    size = bucket_size(revision)
    unit = WIDTH / revision
    counts = {each.bucket: each for each in flagged}
    bars = []
    for bucket in range(-(-revision // size)):
        start, end = bucket * size + 1, min(revision, (bucket + 1) * size)
        here = counts.get(bucket, FlaggedBucket(bucket, 0, 0))
        bars.append(
            Bar(
                x=round((start - 1) * unit, 2),
                width=round(max(0.5, (end - start + 1) * unit - 1), 2),
                first=start,
                title=_title(start, end, here),
                css="bar" + " bar-error" * (here.error_count > 0) + " bar-edit" * (here.edit_count > 0),
            )
        )
    summary = (
        f"{count_of(revision, 'event')}, {count_of(error_count, 'error')}, {count_of(edit_count, 'edit')}; "
        f"on screen: {first:,} to {last:,}"
    )
    marked = tuple(bar for bar in bars if bar.css != "bar")
    frame = round((first - 1) * unit, 2), round((last - first + 1) * unit, 2)
    return Strip(tuple(bars), *frame, summary, marked[:MAX_MARKED], marked[MAX_MARKED:])


def _title(start: int, end: int, here: FlaggedBucket) -> str:
    span = f"event {start:,}" if start == end else f"events {start:,} to {end:,}"
    said = [count_of(here.error_count, "error")] if here.error_count else []
    said += [count_of(here.edit_count, "edit")] if here.edit_count else []
    return f"{span}: {', '.join(said)}" if said else span
