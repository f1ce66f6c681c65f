from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statecore.core.errors import MissingStateKeyError
from statecore.core.templating import render_instruction
from tests.strategies import json_values, texts

STATE = {"name": "Ana", "user:lang": "nb", "app:motd": None, "temp:n": 5, "пол": True, "cart": ["tea"], "x:y": 1}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Hello {name}!", "Hello Ana!"),
        ("{user:lang}/{temp:n}/{пол}", "nb/5/True"),
        ("{app:motd}", ""),
        ("{cart}", "['tea']"),
        ("{ name }", "Ana"),
        ("{{name}}", "Ana"),
        ("{{{name?}}}", "Ana"),
        ("{name}{name}", "AnaAna"),
        ("{missing?}|{user:missing?}", "|"),
        ("", ""),
    ],
)
def test_names_become_the_values_of_state(template: str, text: str) -> None:
    assert render_instruction(template, STATE) == text


@pytest.mark.parametrize(
    "template",
    [
        "no braces",
        '{"json": 1}',
        "{}",
        "{ }",
        "{?}",
        "{1st}",
        "{a b}",
        "{a.b}",
        "{a[0]}",
        "{name!r}",
        "{name:>10}",
        "{x:y}",
        "{APP:motd}",
        "{app:user:lang}",
        "{user:}",
        "{artifact.file.txt}",
        "{name ?}",
        "{unclosed",
        "unopened}",
        "${name}",
        "\\{name}",
        "if (a) { return b; }",
    ],
)
def test_braces_around_anything_else_stay_as_they_are(template: str) -> None:
    assert render_instruction(template, STATE) == template


@pytest.mark.parametrize(
    ("template", "key"), [("{missing}", "missing"), ("{name} {user:name}", "user:name"), ("{lang}", "lang")]
)
def test_name_without_a_value_is_an_error_that_says_it(template: str, key: str) -> None:
    with pytest.raises(MissingStateKeyError) as caught:
        render_instruction(template, STATE)
    assert caught.value.key == key


def test_template_of_many_braces_is_rendered_at_once() -> None:
    started = time.perf_counter()
    assert render_instruction("{" * 100_000, STATE) == "{" * 100_000
    assert render_instruction("{a " * 100_000, STATE) == "{a " * 100_000
    assert time.perf_counter() - started < 5


@given(texts())
def test_value_goes_in_as_it_is_and_is_not_looked_into(value: str) -> None:
    for text in (value, "{name}", "{missing}", "{0.__class__}", "{{ 7 * 7 }}", r"\g<0>"):
        assert render_instruction("<{v}>", {"v": text, "name": "Ana"}) == f"<{text}>"


@given(
    st.lists(texts().map(lambda text: text.translate(str.maketrans("{}$\\", "    "))), min_size=1, max_size=5),
    json_values(max_leaves=4),
)
def test_everything_between_names_is_kept(pieces: list[str], value: Any) -> None:
    shown = "" if value is None else str(value)
    assert render_instruction("{user:v}".join(pieces), {"user:v": value}) == shown.join(pieces)


@given(st.text(alphabet="{}?:$\\ ab1.[]()_'\"", max_size=40))
def test_template_of_optional_names_never_fails_otherwise(template: str) -> None:
    try:
        text, missing = render_instruction(template, {}), "none"
    except MissingStateKeyError as error:
        text, missing = "", error.key
    assert len(text) <= len(template)
    assert missing.rpartition(":")[2].isidentifier()
