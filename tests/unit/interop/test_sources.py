from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from statecore.core.errors import UnknownShapeError
from statecore.interop.sources import find_files, has_lines, lines_of, open_text

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '{"id": "a"}'


def opened(folder: Path, content: bytes) -> str:
    (folder / "file").write_bytes(content)
    text = open_text(folder / "file")
    return bytes(text.buffer[text.start : text.end]).decode()


def test_a_folder_stands_for_the_json_files_in_it(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.json", "c.ndjson", "d.txt", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "folder.json").mkdir()
    assert [path.name for path in find_files(tmp_path)] == ["a.json", "b.jsonl", "c.ndjson"]


def test_a_file_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "session.txt"
    path.touch()
    assert find_files(path) == [path]


def test_paths_without_a_file_are_refused_by_name(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, reason in (
        (tmp_path, r"is a folder without any of \*\.json"),
        (tmp_path / "none", "does not exist"),
        (tmp_path / "pipe", "is not a file"),
    ):
        with pytest.raises(UnknownShapeError, match=reason):
            find_files(path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert opened(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == GOOD


def test_a_large_file_is_read_like_a_small_one(tmp_path: Path) -> None:
    text = GOOD + " " * 17 * 1024 * 1024
    assert opened(tmp_path, text.encode()) == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \r\n\t", "is empty"),
        (b"SQLite format 3\0...CREATE TABLE sessions (...)", "is an ADK database in SQLite"),
        (b"SQLite format 3\0...CREATE TABLE songs (...)", "is an SQLite database"),
        (b"PK\x03\x04...", "zip archive; unpack"),
        (b"\x1f\x8b...", "gzip; unpack"),
        (b"BZh9...", "bzip2; unpack"),
        (b"\xfd7zXZ\0", "xz; unpack"),
        (b"\x28\xb5\x2f\xfd", "zstd; unpack"),
        (b"PGDMP...", "dump of a PostgreSQL database; export"),
        (b"\x80\x04\x95...", "pickle, which is never read"),
        ('{"id": "a"}'.encode("utf-16"), "UTF-16 text; save it as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is binary"),
    ],
)
def test_what_is_no_json_text_is_refused_by_its_name(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(UnknownShapeError, match=reason):
        opened(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (f"{GOOD}\n{GOOD}\n", "file.json", True),
        (f"\n\n{GOOD}\r\n\r\n{GOOD}", "file.json", True),
        (f'"{{}}"\n{GOOD}', "file.txt", True),
        (f'{{"broken": \n{GOOD}\n', "file.json", True),
        (f"{GOOD}\nbroken", "file.json", True),
        (f"}}\n{GOOD}", "file.json", True),
        (f"[\n{GOOD}\n]", "file.json", False),
        ("some\ntext", "file.json", False),
        (GOOD, "file.json", False),
        (GOOD, "file.jsonl", True),
        (GOOD, "file.ndjson", True),
        (f"[\n{GOOD},\n{GOOD}\n]", "file.json", False),
        ('{\n  "id": {}\n}', "file.json", False),
    ],
)
def test_lines_are_records_if_one_of_the_first_is_one(tmp_path: Path, content: str, name: str, expected: bool) -> None:
    (tmp_path / name).write_text(content)
    assert has_lines(open_text(tmp_path / name), tmp_path / name) is expected


def test_lines_keep_their_numbers_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\n1\r\n  \r\n 2\n3")
    lines = lines_of(open_text(tmp_path / "file"))
    assert [(number, line.whole().parse("")) for number, line in lines] == [(2, 1), (4, 2), (5, 3)]
