from __future__ import annotations

from statecore.core.ids import SessionKey
from statecore.core.scopes import split_state
from statecore.core.sessions import ALL_EVENTS, NO_EVENTS, NewSession, Origin
from tests.unit.core.session_builders import make_session


def test_state_of_a_session_is_merged_with_prefixes() -> None:
    state = {"step": 1, "user:lang": "nb", "app:motd": None}
    assert make_session(scoped_state=split_state(state)).state == state


def test_state_of_a_session_is_a_new_dict_each_time() -> None:
    session = make_session(scoped_state=split_state({"step": 1}))
    session.state["step"] = 2
    assert session.state == {"step": 1}


def test_new_session_is_created_empty_unless_told_otherwise() -> None:
    new = NewSession(SessionKey("shop", "ana", "s1"))
    assert (new.origin, new.ttl, new.expire_time, dict(new.state.session)) == (Origin.CREATED, None, None, {})


def test_windows_tell_all_events_from_none() -> None:
    assert (ALL_EVENTS.num_recent_events, NO_EVENTS.num_recent_events) == (None, 0)
