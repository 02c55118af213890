"""Which archive of classes Java is told to take, or to leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.spark.classes import class_options
from holdsfor.spark.lean_home import lean_home


@pytest.fixture
def java(tmp_path: Path) -> Path:
    path = tmp_path / "java"
    path.write_text("a Java")
    return path


def archive_in(options: list[str]) -> Path:
    """The file that the last option names."""
    return Path(options[-1].strip('"').partition("=")[2])


def test_nothing_is_left_by_a_session_that_goes_on(java: Path, tmp_path: Path) -> None:
    assert class_options(java, None, tmp_path / "cache", leaves_archive=False) == []


def test_a_session_for_one_run_leaves_what_the_next_takes(java: Path, tmp_path: Path) -> None:
    leaving = class_options(java, None, tmp_path / "cache", leaves_archive=True)
    assert leaving[-1].startswith('"-XX:ArchiveClassesAtExit=')
    archive = archive_in(leaving)
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(b"\0" * 4096 + b"classes")  # Java was killed while it wrote
    assert class_options(java, None, tmp_path / "cache", leaves_archive=True) == leaving
    archive.write_bytes(b"\xa8\xba\x0b\xf0" + b"classes")
    for leaves_archive in (True, False):
        taking = class_options(java, None, tmp_path / "cache", leaves_archive)
        assert taking[-1] == f'"-XX:SharedArchiveFile={archive}"'


def test_another_java_has_another_archive(java: Path, tmp_path: Path) -> None:
    first = archive_in(class_options(java, None, tmp_path / "cache", leaves_archive=True))
    other = tmp_path / "other"
    other.write_text("another Java")
    assert archive_in(class_options(other, None, tmp_path / "cache", leaves_archive=True)) != first


def test_spark_without_a_library_has_an_archive_of_its_own(java: Path, tmp_path: Path) -> None:
    homes = (None, tmp_path / "lean")
    assert len({archive_in(class_options(java, home, tmp_path / "cache", leaves_archive=True)) for home in homes}) == 2


def test_a_lean_spark_is_all_of_it_but_machine_learning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name in ("jars/spark-core_2.13-4.0.jar", "jars/spark-mllib_2.13-4.0.jar", "bin/spark-submit", "RELEASE"):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    monkeypatch.setenv("SPARK_HOME", str(home))
    made = lean_home(tmp_path / "cache")
    assert made is not None
    files = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    assert files == ["RELEASE", "jars/spark-core_2.13-4.0.jar"]
    assert (made / "bin" / "spark-submit").read_text() == "bin/spark-submit"
    assert lean_home(tmp_path / "cache") == made
    blocked = tmp_path / "blocked"
    blocked.touch()
    assert lean_home(blocked) is None
