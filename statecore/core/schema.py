"""Declared state: which keys an app has and what they hold.

As in google-adk 2.13, a schema is a pydantic model whose fields are the unprefixed keys, and a key it does not
declare is refused. Keys with a colon are ADK's own or of another scope and pass, unless ``app`` or ``user`` declares
that scope too, which ADK never checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from statecore.core.errors import SchemaError
from statecore.core.scopes import Scope, parse_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel, TypeAdapter


@dataclass(frozen=True, slots=True)
class StateSchema:
    """Pydantic models by scope; None leaves a scope unchecked. Needs pydantic at run time."""

    session: type[BaseModel] | None = None
    app: type[BaseModel] | None = None
    user: type[BaseModel] | None = None

    def validate(self, values: Mapping[str, Any]) -> None:
        """Raise SchemaError naming the first key (as written) that is undeclared or holds another type."""
        for key, value in values.items():
            scope, name = parse_key(key)
            model = {Scope.APP: self.app, Scope.USER: self.user, Scope.SESSION: self.session}.get(scope)
            if model is None or (scope is Scope.SESSION and ":" in name):
                continue
            _validate_entry(model, key, name, value)


def _validate_entry(model: type[BaseModel], key: str, name: str, value: Any) -> None:
    from pydantic import ValidationError

    if name not in model.model_fields:
        declared = ", ".join(sorted(model.model_fields)) or "none"
        raise SchemaError(key, f"is not declared in the state schema {model.__name__}; declared are: {declared}")
    try:
        _adapter(model, name).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"[{part!r}]" for part in first["loc"])
        raise SchemaError(f"{key}{where}", f"does not fit the state schema {model.__name__}: {first['msg']}") from None


@lru_cache(maxsize=256)
def _adapter(model: type[BaseModel], name: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(model.model_fields[name].rebuild_annotation())
