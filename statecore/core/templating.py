"""Instruction templates: ``{key}`` becomes the value of a state key, as in google-adk 2.13. Nothing is evaluated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from statecore.core.errors import MissingStateKeyError
from statecore.core.scopes import parse_key

if TYPE_CHECKING:
    from collections.abc import Mapping

_BRACES = re.compile(r"(?<![{$\\]){+([^{}]*)}+")


def render_instruction(template: str, state: Mapping[str, Any]) -> str:
    r"""Return ``template`` with the values of ``state`` (prefixed keys) in place of their names.

    ``{key}`` raises MissingStateKeyError if there is no such key, ``{key?}`` becomes empty then; null becomes empty.
    The prefix is part of the name (``{user:lang}``). Braces around anything that is no state name stay as they are, as
    do ``${key}`` and ``\{key}``. Values go in as text and are not looked into again. A static instruction is simply
    never passed through here.
    """
    return _BRACES.sub(lambda match: _value_of(match, state), template)


def _value_of(match: re.Match[str], state: Mapping[str, Any]) -> str:
    name = match.group(1).strip()
    key = name.removesuffix("?")
    if not _is_state_name(key):
        return match.group()
    if key in state:
        return "" if state[key] is None else str(state[key])
    if name.endswith("?"):
        return ""
    raise MissingStateKeyError(key)


def _is_state_name(key: str) -> bool:
    return parse_key(key)[1].isidentifier()
