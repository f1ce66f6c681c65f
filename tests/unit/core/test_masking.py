from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.jsontext import check_json, json_equal
from statecore.core.masking import MASKED, MaskRules, is_masked_name, mask_event, mask_state, mask_value
from statecore.core.spelling import canonical_event
from tests.strategies import json_values, states, texts

SECRET_NAMES = ("password", "apiKey", "api-key", "user:session_token", "X-Auth-Token")


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "PASSWORD",
        "userPassword",
        "user_password",
        "user-password",
        "passwd",
        "client_secret",
        "clientSecret",
        "token",
        "accessToken",
        "id_token",
        "apiKey",
        "api_key",
        "api-key",
        "apikey",
        "APIKey",
        "API_KEY",
        "myAPIKey",
        "X-API-Key",
        "privateKey",
        "private_key",
        "Authorization",
        "proxy-authorization",
        "credential",
        "aws_credential",
        "cookie",
        "Set-Cookie",
        "user:api_key",
        "app:secret",
        "temp:token",
        "пользователь_token",
    ],
)
def test_name_that_ends_in_a_secrets_words_is_masked(name: str) -> None:
    assert is_masked_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "tokenCount",
        "promptTokenCount",
        "token_uri",
        "tokens",
        "secretary",
        "password_hint",
        "key",
        "primary_key",
        "monkey",
        "cookies_accepted",
        "authorizationUrl",
        "credentialKey",
        "credential_key",
        "user:credentialKey",
        "artifact",
    ],
)
def test_other_names_are_shown(name: str) -> None:
    assert not is_masked_name(name)


@pytest.mark.parametrize("value", [0, 5, -1.5, True, False, None, [], {}])
def test_only_text_is_masked_by_name(value: Any) -> None:
    assert json_equal(mask_value("password", value), value)


def test_text_in_a_list_under_a_secrets_name_is_masked() -> None:
    assert mask_value("api_key", ["a", 1, ["b", None]]) == [MASKED, 1, [MASKED, None]]
    assert mask_value("names", ["a", "b"]) == ["a", "b"]


def test_empty_text_is_masked_too() -> None:
    # That there is no password is worth as much as the password.
    assert mask_value("password", "") == MASKED


@given(st.sampled_from(SECRET_NAMES), texts(), st.lists(st.none() | st.from_regex(r"[a-m]{1,3}", fullmatch=True)))
def test_secret_is_masked_at_any_depth(name: str, secret: str, way: list[str | None]) -> None:
    value: Any = {name: secret}
    expected: Any = {name: MASKED}
    for step in way:
        value, expected = ([value], [expected]) if step is None else ({step: value}, {step: expected})
    assert mask_event({"actions": value}) == {"actions": expected}
    assert mask_state({"user:profile": value}) == {"user:profile": expected}


@pytest.mark.parametrize("name", ["rawAuthCredential", "raw_auth_credential"])
@pytest.mark.parametrize("value", [{"apiKey": "x", "authType": "oauth2"}, ["a"], 5, "text", {}])
def test_credentials_of_auth_configs_are_masked_whole(name: str, value: Any) -> None:
    other = name.replace("raw", "exchanged")
    event = {"actions": {"requestedAuthConfigs": {"c": {"credentialKey": "k", name: value, other: value}}}}
    assert mask_event(event) == {
        "actions": {"requestedAuthConfigs": {"c": {"credentialKey": "k", name: MASKED, other: MASKED}}}
    }


def test_credential_that_is_not_there_reads_as_absent() -> None:
    assert mask_value("rawAuthCredential", None) is None


def test_credential_kept_in_user_state_is_masked_whole() -> None:
    assert mask_state({"user:exchangedAuthCredential": {"a": 1}}) == {"user:exchangedAuthCredential": MASKED}


@pytest.mark.parametrize("field", ["functionResponse", "function_response"])
def test_answer_to_a_request_for_credentials_is_masked_whole(field: str) -> None:
    event = {"content": {"parts": [{field: {"id": "1", "name": "adk_request_credential", "response": {"a": ["b"]}}}]}}
    assert mask_event(event) == {
        "content": {"parts": [{field: {"id": "1", "name": "adk_request_credential", "response": MASKED}}]}
    }


@pytest.mark.parametrize(
    "response",
    [
        {"name": "lookup", "response": {"a": "b"}},
        {"response": {"a": "b"}},
        {"name": "adk_request_credential"},
        {"name": ["adk_request_credential"], "response": {"a": "b"}},
        "adk_request_credential",
        None,
    ],
)
def test_other_answers_are_shown(response: Any) -> None:
    event = {"content": {"parts": [{"functionResponse": response}]}}
    assert mask_event(event) == event


def test_rules_are_a_setting() -> None:
    rules = MaskRules(names=("pin code",), exceptions=("demoPinCode",), whole=("vault",), responses=("ask_pin",))
    state = {
        "pinCode": "1",
        "pincode": "2",
        "demoPinCode": "3",
        "user:demoPinCode": "3",
        "password": "4",
        "vault": {"a": 1},
        "functionResponse": {"name": "ask_pin", "response": 5},
    }
    assert mask_state(state, rules) == {
        "pinCode": MASKED,
        "pincode": MASKED,
        "demoPinCode": "3",
        "user:demoPinCode": "3",
        "password": "4",
        "vault": MASKED,
        "functionResponse": {"name": "ask_pin", "response": MASKED},
    }


def test_no_rules_mask_nothing() -> None:
    rules = MaskRules(names=(), exceptions=(), whole=(), responses=())
    assert mask_state({"password": "x"}, rules) == {"password": "x"}


@given(
    st.dictionaries(st.sampled_from([*SECRET_NAMES, "rawAuthCredential", "functionResponse"]) | texts(), json_values())
)
def test_masking_changes_neither_its_input_nor_what_is_masked(state: dict[str, Any]) -> None:
    before = copy.deepcopy(state)
    masked = mask_state(state)
    assert json_equal(state, before)
    assert json_equal(mask_state(masked), masked)
    assert list(masked) == list(state)
    check_json(masked, path="state")


@given(states())
def test_state_without_secrets_is_shown_as_it_is(state: dict[str, Any]) -> None:
    assert json_equal(mask_state(state), state)


def test_both_spellings_of_an_event_are_masked_alike() -> None:
    event = {
        "custom_metadata": {"auth_token": "t"},
        "actions": {
            "state_delta": {"user:api_key": "k", "total_tokens": "5"},
            "requested_auth_configs": {"c": {"exchanged_auth_credential": {"oauth2": {"access_token": "t"}}}},
        },
    }
    assert canonical_event(mask_event(event)) == mask_event(canonical_event(event))
    assert '"t"' not in str(mask_event(event)).replace("'", '"')


def test_event_nested_to_the_limit_is_masked() -> None:
    value: Any = {"password": "x"}
    for _ in range(199):
        value = {"a": value}
    assert str(mask_event(value)).count(MASKED) == 1
