"""What imports and linters cannot say about the sources; each rule is shown to notice what it forbids."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("statecore", "sessions_ui")
# About 300 and about 40, with some grace for what would only get worse by being cut.
LONGEST_MODULE = 330
LONGEST_FUNCTION = 50
# Methods of a queryset, manager or instance that write. `add` and `remove` are also those of sets.
WRITES = frozenset(
    f"{mode}{method}"
    for mode in ("", "a")
    for method in (
        "bulk_create",
        "bulk_update",
        "create",
        "delete",
        "get_or_create",
        "save",
        "update",
        "update_or_create",
    )
)
RAW_SQL = frozenset({"cursor", "execute", "executemany", "extra", "raw"})
# Where things are put together: these hold connections, and run no SQL of their own either.
MAY_HOLD_CONNECTIONS = frozenset({"sessions_ui/wiring.py", "sessions_ui/schema.py"})
# This checkout's own folder, this person's home, and the addresses of package registries.
MACHINE_WORDS = re.compile(
    "|".join([re.escape(f"{ROOT}/"), re.escape(f"{Path.home()}/"), r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs)\b"])
)


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def raw_sql_in(tree: ast.AST) -> list[int]:
    """Lines that run SQL, or name the expression that carries it."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in RAW_SQL)
        or (isinstance(node, ast.Name) and node.id == "RawSQL")
    ]


def store_writes_in(tree: ast.Module) -> list[int]:
    """Lines that call a write method on an expression made from a model of statecore."""
    models = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("statecore.models")
        for alias in node.names
    } | {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "statecore"
        for alias in node.names
        if alias.name == "models"
    }
    derived = names_derived_from(models, tree)
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in WRITES
        and mentions(node.func.value, models | derived)
    ]


def names_derived_from(models: set[str], tree: ast.Module) -> set[str]:
    """Names that some statement gives a value made from a model, also through other such names."""
    derived: set[str] = set()
    while True:
        grown = derived | {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and mentions(node.value, models | derived)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if grown == derived:
            return derived
        derived = grown


def mentions(tree: ast.AST, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree))


def lacks_future_import(tree: ast.Module) -> bool:
    return bool(tree.body) and not any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body[:2]
    )


def long_functions_in(tree: ast.Module) -> list[str]:
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]


def vague_classes_in(tree: ast.Module) -> list[str]:
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and (node.name.startswith("Base") or node.name.endswith(("Helper", "Manager")))
    ]


def offenders(rule: Callable[[ast.Module], object], *folders: str) -> dict[str, object]:
    """What ``rule`` found, by module."""
    found = {name_of(path): rule(ast.parse(path.read_text())) for path in modules(*folders)}
    return {name: findings for name, findings in found.items() if findings}


def test_pages_run_no_sql() -> None:
    assert offenders(raw_sql_in, "sessions_ui").keys() <= MAY_HOLD_CONNECTIONS


def test_pages_write_no_table_of_the_store() -> None:
    assert offenders(store_writes_in, "sessions_ui") == {}


@pytest.mark.parametrize(
    "source",
    [
        "Session.objects.raw('select 1')",
        "Session.objects.extra(where=['1'])",
        "connection.cursor()",
        "cursor.execute('select 1')",
        "qs.annotate(a=RawSQL('1', []))",
    ],
)
def test_the_sql_rule_notices(source: str) -> None:
    assert raw_sql_in(ast.parse(source)) == [1]


@pytest.mark.parametrize(
    "source",
    [
        "from statecore.models import Session\nSession.objects.create(app=1)",
        "from statecore.models import Session as S\nS.objects.filter(a=1).update(a=2)",
        "from statecore import models\nmodels.Session.objects.all().delete()",
        "from statecore.models import Session\nrow = Session.objects.get(id=1)\nrow.save()",
        "from statecore.models import Session\nrows = Session.objects.all()\nrow = rows[0]\nrow.delete()",
    ],
)
def test_the_store_rule_notices(source: str) -> None:
    assert store_writes_in(ast.parse(source)) != []


def test_the_store_rule_lets_the_dashboard_write_its_own_tables() -> None:
    imports = "from sessions_ui.models import Grant\nfrom statecore.models import Session\n"
    assert store_writes_in(ast.parse(imports + "Grant.objects.create(a=1)")) == []


def test_modules_postpone_annotations() -> None:
    assert offenders(lacks_future_import, "statecore", "sessions_ui", "tests") == {}


def test_the_annotations_rule_notices() -> None:
    assert lacks_future_import(ast.parse("import os"))
    assert not lacks_future_import(ast.parse('"""Doc."""\nfrom __future__ import annotations'))


def test_modules_can_be_read_in_one_sitting() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in modules(*PACKAGES)}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_functions_fit_on_a_screen() -> None:
    long = offenders(long_functions_in, *PACKAGES)
    assert {name: found for name, found in long.items() if "/migrations/" not in name} == {}


def test_modules_and_classes_are_named_for_what_they_are() -> None:
    vague = {"common", "helper", "helpers", "misc", "util", "utils"}
    assert [name_of(path) for path in modules(*PACKAGES) if path.stem in vague] == []
    assert offenders(vague_classes_in, *PACKAGES) == {}


def test_no_file_names_a_machine() -> None:
    named = []
    for path in tracked_files():
        if path == Path(__file__) or path.suffix in {".png", ".ico", ".woff2"} or "vendor" in path.parts:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        named += [f"{name_of(path)}: {match.group()}" for match in MACHINE_WORDS.finditer(text)]
    assert named == []


def test_requirements_are_pinned() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text().splitlines():
            is_comment = not line or line.startswith(("#", "-r "))
            assert is_comment or re.fullmatch(r"[\w.\[\],-]+==[\w.]+", line), line
