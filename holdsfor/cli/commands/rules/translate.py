"""`holdsfor translate`: rule text as Python, and rules in Python as rule text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from holdsfor.printable import printable_lines


def translate_rules(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A rule file.")],
    language: Annotated[Literal["python"], typer.Option("--to", help="The language to write them in.")] = "python",
) -> None:
    """Write rule text as a Python program with the same rules; `print(rules)` in Python gives rule text back."""
    from holdsfor.authoring.translate import translate
    from holdsfor.language.parsing.files import read_source

    program = translate(read_source(rules))
    sys.stdout.write(printable_lines(program) if sys.stdout.isatty() else program)
