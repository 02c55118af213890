"""Trees of reasons in the terminal, in colours where it has them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pyarrow as pa
from rich.text import Text

from holdsfor.cli.output.console import out
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.ground import as_term
from holdsfor.printable import printable
from holdsfor.view.reasons import Bar, ShownReasons, reasons_of
from holdsfor.why.derivation import Derivation
from holdsfor.why.origin import Origin
from holdsfor.why.printing import Style, as_lines

COLOURS: dict[Style, str] = {
    "said": "bold",
    "fact": "cyan",
    "condition": "",
    "failed": "red",
    "row": "green",
    "rule": "magenta",
    "note": "dim",
    "ended": "yellow",
}


def say_tree(derivation: Derivation, remedies: Sequence[str] = ()) -> None:
    """Print a tree, and the changes that would have made it true."""
    console = out()
    for line in as_lines(derivation):
        parts = ((printable(text), COLOURS[style]) for style, text in line.parts)
        console.print(Text.assemble("  " * line.depth, *parts))
    if remedies:
        console.print("It would have, with one of these:")
        for change in remedies:
            console.print(Text(f"  {printable(change)}"))


def explain_bars(origin: Origin, intervals: pa.Table) -> list[ShownReasons]:
    """Explain intervals for the timeline, each at its first point."""
    reasons = []
    for row in intervals.to_pylist():
        bar = Bar(row["fluent"], row["args"], row["value"], row["start"])
        args = ",".join(map(as_term, bar.args))
        fact = f"{as_term(bar.name)}({args})" if args else as_term(bar.name)
        with suppress(HoldsforError):  # such as one that the history begins with, and that began before
            reasons.append(reasons_of(bar, origin.why(f"{fact}={as_term(str(bar.value))}", bar.start)))
    return reasons
