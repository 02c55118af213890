"""Values of the command line are what Typer would make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
import typer
from typer import _coercion
from typer._click import Context
from typer._click.exceptions import BadParameter
from typer.core import TyperCommand, TyperOption

from holdsfor.cli.plain_values import NotPlain, make_plain, take_plain_values

UNIT = Literal["s", "ms"]
CASES = [
    (str, "a"),
    (str | None, "a"),
    (Path, "a/b"),
    (Path, "."),
    (list[Path], ("a", "b")),
    (list[str] | None, ["a", ""]),
    (int, "17"),
    (int | None, "017"),
    (int, "-3"),
    (int, "1_000"),
    (int, " 4"),
    (int, "²"),
    (int, "4.0"),
    (int, 50),
    (bool, True),
    (UNIT, "ms"),
    (UNIT | None, "s"),
    (UNIT, "MS"),
    (list[int], ("1", "x")),
    (float, "1.5"),
]


@pytest.mark.parametrize(("annotation", "value"), CASES)
@pytest.mark.parametrize("least", [None, 10])
def test_that_they_are_as_typer_makes_them(annotation: Any, value: Any, least: int | None) -> None:
    info = typer.Option(min=least)
    assert outcome(annotation, value, info, plain=True) == outcome(annotation, value, info, plain=False)


def outcome(annotation: Any, value: Any, info: Any, plain: bool) -> tuple[type, Any]:
    """The value, or the message that refuses it."""
    descriptor = _coercion.resolve_type_descriptor(annotation, info)
    option = TyperOption(param_decls=["--it"], type_descriptor=descriptor)
    if plain:
        take_plain_values([option])
    try:
        made = option.get_runtime_param()._coerce_value(value, param=option, ctx=Context(TyperCommand("it")))
    except BadParameter as error:
        return BadParameter, error.message
    return type(made), made


def test_that_the_usual_ones_need_no_help() -> None:
    info = typer.Option(min=1)
    assert make_plain(("a",), list[Path], info) == [Path("a")]
    assert make_plain("17", int | None, info) == 17
    with pytest.raises(NotPlain):
        make_plain("0", int, info)


def test_that_a_file_that_typer_would_refuse_is_left_to_it(tmp_path: Path) -> None:
    with pytest.raises(NotPlain):
        make_plain(str(tmp_path), Path, typer.Option(dir_okay=False))
