"""Trees of reasons in the terminal, in colours where it has them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from holdsfor.cli.output.console import out
from holdsfor.printable import printable
from holdsfor.why.derivation import Derivation
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
