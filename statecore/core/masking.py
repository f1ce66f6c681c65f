"""Masking: secrets leave the server as a marker, decided by the names that hold them (BEHAVIOURS, Access).

A name is split into words at case, ``_``, ``-`` and other marks; it is masked when it ends in the words of a rule
(``userPassword``, ``api-key``, ``user:session_token``). Only text is masked by name, never numbers, booleans or null;
the subtrees that ADK uses for credentials are masked whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

MASKED: Final = "•••••• masked"
"""What stands where a masked value was; plain text, so that masked JSON stays JSON."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@dataclass(frozen=True, slots=True)
class MaskRules:
    """Which names hide their text. ``names`` are words with spaces; ``whole`` and ``exceptions`` are exact names."""

    names: tuple[str, ...] = (
        "password",
        "passwd",
        "secret",
        "token",
        "api key",
        "private key",
        "authorization",
        "credential",
        "cookie",
    )
    exceptions: tuple[str, ...] = ("credentialKey", "credential_key")
    whole: tuple[str, ...] = (
        "rawAuthCredential",
        "raw_auth_credential",
        "exchangedAuthCredential",
        "exchanged_auth_credential",
    )
    responses: tuple[str, ...] = ("adk_request_credential",)  # functions whose response is a credential


DEFAULT_RULES: Final = MaskRules()


@lru_cache(maxsize=4096)
def is_masked_name(name: str, rules: MaskRules = DEFAULT_RULES) -> bool:
    """Whether text under this name is masked; a scope prefix does not matter."""
    if name.rpartition(":")[2] in rules.exceptions:
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    for rule in rules.names:
        wanted = rule.split()
        if words[-len(wanted) :] == wanted or (words and words[-1] == "".join(wanted)):
            return True
    return False


def mask_value(name: str, value: Any, rules: MaskRules = DEFAULT_RULES) -> Any:
    """Return ``value``, held under ``name``, with its secrets masked; the input is not changed."""
    if name.rpartition(":")[2] in rules.whole and value is not None:
        return MASKED
    if isinstance(value, str):
        return MASKED if is_masked_name(name, rules) else value
    if isinstance(value, Mapping):
        return _mask_object(value, rules)
    if isinstance(value, list):
        return [mask_value(name, item, rules) for item in value]
    return value


def mask_event(payload: Mapping[str, Any], rules: MaskRules = DEFAULT_RULES) -> dict[str, Any]:
    """Return a copy of an event, in either spelling, with its secrets masked at any depth."""
    return _mask_object(payload, rules)


def mask_state(state: Mapping[str, Any], rules: MaskRules = DEFAULT_RULES) -> dict[str, Any]:
    """Return a copy of state (keys with or without prefix) with its secrets masked."""
    return _mask_object(state, rules)


def _mask_object(value: Mapping[str, Any], rules: MaskRules) -> dict[str, Any]:
    masked: dict[str, Any] = {}
    for key, item in value.items():  # no comprehension: its frame counts at 200 nested levels
        masked[key] = mask_value(key, item, rules)
    for key in ("functionResponse", "function_response"):
        response = masked.get(key)
        if isinstance(response, dict) and response.get("name") in rules.responses and "response" in response:
            masked[key] = {**response, "response": MASKED}
    return masked
