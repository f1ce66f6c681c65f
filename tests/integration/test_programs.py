"""The programs that some tests drive: what is missing is said in one line, with how to get it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("strict", "status"), [("true", 1), ("", 0)])
def test_missing_chromium_is_one_line_and_fails_only_where_nothing_may_be_skipped(
    tmp_path: Path, strict: str, status: int
) -> None:
    bash, identity = shutil.which("bash"), shutil.which("id")
    assert bash is not None
    assert identity is not None
    (tmp_path / "id").symlink_to(identity)  # and neither a browser nor a package manager
    result = subprocess.run(
        [bash, ".ci/programs"],
        cwd=ROOT,
        env={"PATH": str(tmp_path), "CI": strict},
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = result.stdout.splitlines()
    assert line.startswith("missing, and their tests cannot run: chromium ")
    assert "apt-get install chromium" in line
    assert (result.returncode, result.stderr) == (status, "")
