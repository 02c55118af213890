"""Which archive of classes Java is told to take, or to leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.spark.classes import class_options


@pytest.fixture
def java(tmp_path: Path) -> Path:
    path = tmp_path / "java"
    path.write_text("a Java")
    return path


def archive_in(options: list[str]) -> Path:
    """The file that the last option names."""
    return Path(options[-1].strip('"').partition("=")[2])


def test_nothing_is_left_by_a_session_that_goes_on(java: Path, tmp_path: Path) -> None:
    assert class_options(java, tmp_path / "cache", leaves_archive=False) == []


def test_a_session_for_one_run_leaves_what_the_next_takes(java: Path, tmp_path: Path) -> None:
    leaving = class_options(java, tmp_path / "cache", leaves_archive=True)
    assert leaving[-1].startswith('"-XX:ArchiveClassesAtExit=')
    archive = archive_in(leaving)
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(b"\0" * 4096 + b"classes")  # Java was killed while it wrote
    assert class_options(java, tmp_path / "cache", leaves_archive=True) == leaving
    archive.write_bytes(b"\xa8\xba\x0b\xf0" + b"classes")
    for leaves_archive in (True, False):
        taking = class_options(java, tmp_path / "cache", leaves_archive)
        assert taking[-1] == f'"-XX:SharedArchiveFile={archive}"'


def test_another_java_has_another_archive(java: Path, tmp_path: Path) -> None:
    first = archive_in(class_options(java, tmp_path / "cache", leaves_archive=True))
    other = tmp_path / "other"
    other.write_text("another Java")
    assert archive_in(class_options(other, tmp_path / "cache", leaves_archive=True)) != first
