"""Which archive of classes Java is told to take, or to leave."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor.spark.session import cache_dir
from holdsfor.startup.archive import archive_of, class_options, is_whole
from holdsfor.startup.lean_home import lean_home
from holdsfor.startup.standby import start_standby
from holdsfor.startup.worker import start_worker_for


@pytest.fixture
def java(tmp_path: Path) -> Path:
    path = tmp_path / "java"
    path.write_text("a Java")
    return path


def test_what_one_java_leaves_others_take(tmp_path: Path) -> None:
    archive = tmp_path / "classes.jsa"
    assert class_options(archive) == []
    leaving = class_options(archive, leaves_archive=True)
    assert leaving[-1] == f'"-XX:ArchiveClassesAtExit={archive}"'
    archive.write_bytes(b"\0" * 4096 + b"classes")  # Java was killed while it wrote
    assert class_options(archive, leaves_archive=True) == leaving
    archive.write_bytes(b"\xa8\xba\x0b\xf0" + b"classes")
    for leaves_archive in (True, False):
        assert class_options(archive, leaves_archive)[-1] == f'"-XX:SharedArchiveFile={archive}"'


def test_an_archive_that_others_can_write_is_not_taken(tmp_path: Path) -> None:
    archive = tmp_path / "classes.jsa"
    archive.write_bytes(b"\xa8\xba\x0b\xf0" + b"classes")
    archive.chmod(0o666)
    assert len(class_options(archive)) < 2
    archive.chmod(0o644)
    assert class_options(archive)[-1] == f'"-XX:SharedArchiveFile={archive}"'


def test_parts_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "classes.jsa"
    archive.write_bytes(b"\xa8\xba\x0b\xf0" + b"classes")
    monkeypatch.setenv("HOLDSFOR_WITHOUT", "archive,lean_home,standby,worker")
    assert class_options(archive) == []
    assert lean_home(tmp_path) is None
    assert start_standby({}) is None
    assert start_worker_for(["run", "rules.ec"]) is None


def test_the_folder_of_the_cache_is_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "holdsfor").mkdir(0o777)
    (tmp_path / "holdsfor").chmod(0o777)
    assert cache_dir() == tmp_path / "holdsfor"
    assert stat.S_IMODE(cache_dir().stat().st_mode) == 0o700


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_the_cache_of_another_user_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "holdsfor").mkdir()
    os.chown(tmp_path / "holdsfor", 12345, 12345)
    assert cache_dir().parent != tmp_path


def test_each_java_and_each_spark_has_its_own(java: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("another Java")
    homes = (None, tmp_path / "lean")
    assert len({archive_of(one, home, tmp_path) for one in (java, other) for home in homes}) == 4


@pytest.mark.slow
@pytest.mark.spark
def test_an_archive_is_made_once(tmp_path: Path) -> None:
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):
        told = subprocess.run(
            [sys.executable, "-m", "holdsfor", "warm"], check=True, env=environment, capture_output=True, text=True
        ).stdout
        assert "archived" in told
    (archive,) = (tmp_path / "holdsfor" / "java").glob("*.jsa")
    assert is_whole(archive)


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
