from __future__ import annotations

import importlib
import inspect
import pkgutil

import statecore
from statecore.service.port import SessionStore
from tests.conformance.backends import BACKENDS

PORT = {name for name in vars(SessionStore) if not name.startswith("_")}


def classes_that_satisfy_the_port() -> set[type]:
    names = [
        module.name
        for module in pkgutil.walk_packages(statecore.__path__, "statecore.")
        if "migrations" not in module.name
    ]
    found = {
        candidate
        for name in names
        for _, candidate in inspect.getmembers(importlib.import_module(name), inspect.isclass)
        if candidate.__module__.startswith("statecore.") and all(hasattr(candidate, method) for method in PORT)
    }
    return found - {SessionStore}


def test_every_store_is_registered() -> None:
    assert classes_that_satisfy_the_port() == {backend.store_class for backend in BACKENDS}
