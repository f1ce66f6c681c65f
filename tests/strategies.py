"""What property tests draw from: JSON values, keys of every scope, states, deltas and the changes of a session."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from statecore.core.delta import REMOVED, Change, StateDelta

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

NUMBERS_THAT_BREAK = (2**53 + 1, 10**30, -(10**30), 0.30000000000000004, -0.0, 1e308, 5e-324, 1e-320, 10**15, -(10**15))


def texts(*, max_size: int = 20) -> SearchStrategy[str]:
    """Text that JSON and PostgreSQL can hold: no U+0000, no lone surrogate."""
    return st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=max_size)


def exact_numbers() -> SearchStrategy[Decimal]:
    """Numbers that no float holds, as parsing gives them."""
    # Thirty places that end in 1, after a whole number that is not zero; drawn, not filtered.
    wholes = st.integers(1, 10**6) | st.integers(-(10**6), -1)
    return st.builds(lambda whole, places: Decimal(f"{whole}.{places:029}1"), wholes, st.integers(0, 10**29 - 1))


def numbers() -> SearchStrategy[Any]:
    """Whole numbers of any length, floats, and numbers that no float holds."""
    floats = st.floats(allow_nan=False, allow_infinity=False)
    return st.one_of(st.integers(), floats, exact_numbers(), st.sampled_from(NUMBERS_THAT_BREAK))


@cache
def json_values(*, max_leaves: int = 12) -> SearchStrategy[Any]:
    """Any JSON value."""
    return st.recursive(
        st.one_of(st.none(), st.booleans(), numbers(), texts()),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts(), inner, max_size=4)),
        max_leaves=max_leaves,
    )


@cache
def state_keys() -> SearchStrategy[str]:
    """Keys of every scope, few enough to meet again, and such as only look like another scope's."""
    prefixes = st.sampled_from(["", "app:", "user:", "temp:", "app:temp:", "user:app:", "APP:", "other:", ":"])
    names = st.sampled_from(["", "cart", "lang", "step", "a b", "ключ", "{x}"])
    return st.builds(str.__add__, prefixes, names)


@cache
def states() -> SearchStrategy[dict[str, Any]]:
    """State with prefixed keys."""
    return st.dictionaries(state_keys(), json_values(max_leaves=4), max_size=6)


@st.composite
def deltas(draw: st.DrawFn) -> StateDelta:
    """A delta; no key is both set and removed."""
    values = draw(states())
    removed = draw(st.lists(state_keys(), unique=True, max_size=3))
    return StateDelta(values, tuple(key for key in removed if key not in values))


@st.composite
def histories(draw: st.DrawFn) -> list[Change]:
    """The changes of a session in their order: sets and removals of which the seq never falls."""
    steps = draw(st.lists(st.tuples(state_keys(), st.just(REMOVED) | json_values(max_leaves=3), st.integers(0, 2))))
    seq = 0
    history = []
    for key, value, step in steps:
        seq += step
        history.append(Change(key, value, seq))
    return history
