"""The settings in processes of their own, as an environment makes them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from sessions_ui.settings.environment import broker, database, kept_secret, port, private_folder

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "DATABASE_URL": "postgresql://statecore:secret@db.example/statecore",
    "CELERY_BROKER_URL": "redis://broker.example/0",
    "ALLOWED_HOSTS": "sessions.example.com",
    "SECRET_KEY": "k3Jx-9fLq2Wc7Rb0Zt5Vn8Hs1Md4Gp6Ya-Eu2Io7Ti3Xo9Kz5Cv8Bn1Lm4Qw6Ps",
    "HTTPS": "true",
}


def _inherited() -> dict[str, str]:
    """This process's environment, less what tests that drive a browser set in it."""
    return {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}


def manage(*words: str, var: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**_inherited(), "STATECORE_VAR": str(var), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_deployment_check_is_clean_in_production(tmp_path: Path) -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", var=tmp_path, **PRODUCTION)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "mysql://root:hunter2@localhost/x",
        "postgresql://user:hunter2@localhost",
        "postgresql://user:hunter2@localhost/",
        "postgresql://user:hunter2@localhost:port/x",
        "postgresql://user:hunter2@[::1/x",
        "://",
    ],
)
def test_a_wrong_database_url_is_one_line_that_keeps_the_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="write postgresql://USER") as refused:
        database(url, tmp_path)
    assert "hunter2" not in str(refused.value)


def test_a_wrong_setting_ends_a_command_with_one_line(tmp_path: Path) -> None:
    for variables in ({"DATABASE_URL": "nonsense"}, {"PORT": "eighty"}):
        done = manage("check", var=tmp_path, **variables)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: " + next(iter(variables)))
        assert done.stderr.count("\n") == 1


def test_a_server_that_cannot_be_reached_ends_a_command_with_one_line(tmp_path: Path) -> None:
    done = manage("migrate", var=tmp_path, DATABASE_URL="postgresql://user:hunter2@127.0.0.1:1/x")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the database cannot be used: ")
    assert done.stderr.count("\n") == 1
    assert "hunter2" not in done.stderr


def test_a_database_url_is_used_as_given(tmp_path: Path) -> None:
    found = database("postgres://kim:a%40b@db.example:6543/desk?sslmode=require", tmp_path)
    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example", 6543, "desk")
    assert (found["USER"], found["PASSWORD"]) == ("kim", "a@b")
    assert found["OPTIONS"]["sslmode"] == "require"


def test_without_a_database_url_the_embedded_server_is_used(tmp_path: Path) -> None:
    found = database("", tmp_path)
    assert found["ENGINE"] == "statecore.embedded.backend"
    assert found["OPTIONS"] == {"var": str(tmp_path)}


def test_connections_are_kept_and_looked_at_before_use(tmp_path: Path) -> None:
    for url in ("", "postgresql://db.example/desk"):
        found = database(url, tmp_path)
        assert (found["CONN_MAX_AGE"], found["CONN_HEALTH_CHECKS"]) == (None, True)


def test_a_secret_is_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    made = kept_secret(path)
    assert len(made) >= 50
    assert kept_secret(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["secret"]


def test_a_secret_made_by_many_at_once_is_one(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from pathlib import Path; from sessions_ui.settings.environment import kept_secret\n"
        "print(kept_secret(Path(sys.argv[1])))",
        str(tmp_path / "secret"),
    ]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "sessions_ui.settings"}
    made: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: made.append(subprocess.check_output(command, cwd=ROOT, env=environment, text=True))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert len(set(made)) == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ImproperlyConfigured, match="STATECORE_VAR: cannot make"):
        private_folder(blocked / "var")
    with pytest.raises(ImproperlyConfigured, match="cannot write"):
        kept_secret(tmp_path / "missing" / "secret")


def test_the_broker_made_of_files_is_private(tmp_path: Path) -> None:
    found = broker("", tmp_path)
    assert found["broker_url"] == "filesystem://"
    folders = [tmp_path / "celery", tmp_path / "celery" / "queue", tmp_path / "celery" / "control"]
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700] * 3


def test_a_broker_url_is_used_as_given(tmp_path: Path) -> None:
    assert broker("redis://broker.example/0", tmp_path)["broker_url"] == "redis://broker.example/0"


@pytest.mark.parametrize("value", ["", "0", "65536", "-1", "80a", "\uff18\uff10"])
def test_a_port_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="PORT is"):
        port(value)
