from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from statecore.core.errors import SchemaError
from statecore.core.schema import StateSchema


class Item(BaseModel):
    name: str


class CartState(BaseModel):
    step: Annotated[int, Field(ge=0)] = 0
    items: list[Item] = []
    note: str | None = None
    speed: Literal["slow", "fast"] = "slow"


class UserState(BaseModel):
    lang: str


class NoState(BaseModel):
    pass


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"step": 0, "items": [{"name": "tea"}], "note": None, "speed": "fast"},
        {"step": "5"},  # pydantic's usual leniency, as in ADK
        {"app:anything": 1, "user:anything": [], "temp:draft": 1, "_adk:internal": 1, "other:x": 1},
    ],
)
def test_values_that_fit_their_declaration_pass(values: dict[str, Any]) -> None:
    StateSchema(session=CartState).validate(values)


@pytest.mark.parametrize(
    ("values", "path", "reason"),
    [
        (
            {"colour": 1},
            "colour",
            "is not declared in the state schema CartState; declared are: items, note, speed, step",
        ),
        ({"step": 1, "": 1}, "", "is not declared in the state schema CartState"),
        ({"step": -1}, "step", "does not fit the state schema CartState: Input should be greater than or equal to 0"),
        ({"step": None}, "step", "does not fit the state schema CartState: Input should be a valid integer"),
        ({"items": [{"name": "a"}, {"name": 5}]}, "items[1]['name']", "does not fit the state schema CartState"),
        ({"speed": "warp"}, "speed", "does not fit the state schema CartState: Input should be 'slow' or 'fast'"),
    ],
)
def test_value_that_does_not_fit_is_refused_by_key(values: dict[str, Any], path: str, reason: str) -> None:
    with pytest.raises(SchemaError) as caught:
        StateSchema(session=CartState).validate(values)
    assert caught.value.path == path
    assert caught.value.reason.startswith(reason)


def test_app_and_user_keys_are_checked_where_they_are_declared() -> None:
    schema = StateSchema(app=NoState, user=UserState)
    schema.validate({"user:lang": "nb", "anything": 1, "temp:x": 1})
    with pytest.raises(SchemaError, match=r"^user:lang: does not fit the state schema UserState"):
        schema.validate({"user:lang": 5})
    with pytest.raises(SchemaError, match=r"^user:app:x: is not declared in the state schema UserState"):
        schema.validate({"user:app:x": 5})
    with pytest.raises(
        SchemaError, match=r"^app:motd: is not declared in the state schema NoState; declared are: none"
    ):
        schema.validate({"app:motd": "hi"})


def test_schema_of_nothing_refuses_nothing() -> None:
    StateSchema().validate({"anything": 1, "app:x": 1, "user:y": 2})


def test_schemas_can_be_named_where_pydantic_is_not_installed() -> None:
    code = "import sys; sys.modules['pydantic'] = None; from statecore.core.schema import StateSchema; StateSchema()"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
