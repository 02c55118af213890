"""`holdsfor verify`: check an explanation without the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.output.console import say
from holdsfor.errors import HoldsforError
from holdsfor.printable import count_text

BUNDLE = typer.Argument(metavar="FILE", help="What `holdsfor why --bundle FILE` has written.")
STRICT = typer.Option("--strict", help="End with exit code 1, too, if something could not be derived again.")


def verify(bundle: Annotated[Path, BUNDLE], strict: Annotated[bool, STRICT] = False) -> None:
    """Check an explanation: derive each of its nodes again from its rows and rules, without the engine."""
    from holdsfor.checker.bundle import check_bundle
    from holdsfor.checker.check import NotDerived

    try:
        checked = check_bundle(json.loads(bundle.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise HoldsforError(f"{bundle}: no such file.") from None
    except (NotDerived, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise HoldsforError(f"{bundle} is refused: {error}.") from None
    nodes, rows = count_text(checked.nodes, "node"), count_text(checked.rows, "row")
    say(f"{checked.claim}: {nodes} follow from {rows} and these rules")
    for name, digest in checked.digests.items():
        if name != "tree":
            say(f"  {name} (sha256 {digest})")
    for what in checked.undecided:
        say(f"not derived again: {what}")
    if strict and checked.undecided:
        raise typer.Exit(1)
