"""`holdsfor demo`: the maritime example, from simulated vessels to a page of timelines."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from holdsfor.errors import HoldsforError


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the results and the page go.")] = Path("out/demo"),
) -> None:
    """Simulate vessels, recognise what they do, on local Spark, and draw it: no arguments, under a minute."""
    _example("maritime").main(out)


def _example(name: str) -> Any:
    """Import an example: installed as holdsfor_examples, or from the folder examples of the sources."""
    for package in ("holdsfor_examples", "examples"):
        try:
            return import_module(f"{package}.{name}.demo")
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
    raise HoldsforError("The examples are not installed. Install holdsfor again: pip install holdsfor")
