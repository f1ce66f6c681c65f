from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sessions_ui.supervisor import Supervisor, read_procfile, stop_all

ROOT = Path(__file__).resolve().parents[2]
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""
# A supervisor of one sleeping process, which says its pid.
SUPERVISOR = """
import sys
from pathlib import Path
from sessions_ui.supervisor import Supervisor
child = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
print(Supervisor({"child": [sys.executable, "-c", child]}, Path(".")).run(), flush=True)
"""


def start_supervisor() -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR], cwd=ROOT, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout
    return process, int(process.stdout.readline())


def is_gone(pid: int) -> bool:
    """Whether the process has ended; one that nobody has buried yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until_gone(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while not is_gone(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_gone(pid)


def test_procfile_commands_run_on_this_interpreter(tmp_path: Path) -> None:
    procfile = tmp_path / "Procfile"
    procfile.write_text('web: python -m gunicorn -c "a b"\n\nworker: celery\n')
    assert read_procfile(procfile) == {
        "web": [sys.executable, "-m", "gunicorn", "-c", "a b"],
        "worker": ["celery"],
    }


def test_the_project_runs_a_web_server_a_worker_and_a_scheduler() -> None:
    assert list(read_procfile(ROOT / "Procfile")) == ["web", "worker", "beat"]


def test_the_first_end_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    begun = time.monotonic()
    commands = {"long": SLEEP, "short": [sys.executable, "-c", "raise SystemExit(3)"]}
    assert Supervisor(commands, tmp_path).run() == "short (status 3)"
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all(number: signal.Signals) -> None:
    process, child = start_supervisor()
    with process:
        process.send_signal(number)
        assert process.wait(timeout=30) == 0
        assert process.stdout
        assert process.stdout.read() == "None\n"
    assert wait_until_gone(child)


def test_no_process_outlives_a_killed_supervisor() -> None:
    process, child = start_supervisor()
    with process:
        process.kill()
        process.wait(timeout=30)
    assert wait_until_gone(child)


def test_a_process_that_will_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions_ui.supervisor.PATIENCE", 0.2)
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        process.stdout.readline()
        stop_all([process])
        assert process.returncode == -signal.SIGKILL
