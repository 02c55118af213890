"""Methods of dataclasses from disk are those that `dataclass` compiles."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdsfor.dataclass_code import DataclassCode


def make_class() -> Any:
    @dataclasses.dataclass(frozen=True, slots=True, order=True)
    class Visit:
        place: str
        hour: int = 8
        notes: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    return Visit


@pytest.fixture
def codes(tmp_path: Path) -> Iterator[DataclassCode]:
    names = vars(dataclasses)
    codes = names["exec"] = DataclassCode(tmp_path / "cache" / "dataclasses.code")
    yield codes
    del names["exec"]


def behaviour(of: Any) -> tuple[object, ...]:
    one, other = of("quay"), of("quay", 9, ("late",))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.hour = 10
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'place'"):
        of()
    return repr(other), one == of("quay", 8, ("x",)), hash(one) == hash(of("quay")), one < other, inspect.signature(of)


def test_that_a_class_is_the_same_from_disk(codes: DataclassCode, tmp_path: Path) -> None:
    plain = behaviour(make_class())
    codes.save()
    again = DataclassCode(tmp_path / "cache" / "dataclasses.code")
    vars(dataclasses)["exec"] = again
    assert behaviour(make_class()) == plain
    assert codes.has_compiled
    assert not again.has_compiled
    del vars(dataclasses)["exec"]
    assert behaviour(make_class()) == plain
    vars(dataclasses)["exec"] = again


@pytest.mark.parametrize("content", [b"", b"other", b"cut"])
def test_that_a_damaged_file_is_not_taken(codes: DataclassCode, content: bytes, tmp_path: Path) -> None:
    make_class()
    codes.save()
    path = tmp_path / "cache" / "dataclasses.code"
    path.write_bytes(path.read_bytes()[:-50] if content == b"cut" else content)
    vars(dataclasses)["exec"] = again = DataclassCode(path)
    behaviour(make_class())
    assert again.has_compiled


def test_that_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    codes = DataclassCode(tmp_path / "file" / "dataclasses.code")
    codes("x = 1", {}, {})
    codes.save()
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
