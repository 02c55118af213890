"""`holdsfor check`: is the event description right, and what is in it?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated
from typing import Literal as OneOf

import typer

from holdsfor.cli.commands.run import ALLOW, FACTS, FUNCTIONS, load_rules
from holdsfor.cli.output.console import complain
from holdsfor.printable import printable_lines


def check(
    rules: Annotated[list[Path], typer.Argument(metavar="RULES", help="Rule files, background knowledge included.")],
    with_plan: Annotated[
        bool, typer.Option("--plan", help="Print the plan before and after the optimiser, and what each pass changed.")
    ] = False,
    picture: Annotated[
        OneOf["mermaid", "dot", "svg"] | None,
        typer.Option("--graph", help="Print only the dependency graph: as text for Mermaid or Graphviz, or drawn."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print only data: diagnostics and all that is known.")
    ] = False,
    facts: Annotated[list[str] | None, FACTS] = None,
    allow: Annotated[list[Path] | None, ALLOW] = None,
    functions: Annotated[Path | None, FUNCTIONS] = None,
) -> None:
    """Report everything that is wrong with the rules; then their kinds, strata, stages and uses."""
    import holdsfor
    from holdsfor.cli.output import overview
    from holdsfor.cli.output.report import report
    from holdsfor.rules import make_closures

    if (picture is not None) + as_json + with_plan > 1:
        raise typer.BadParameter("--plan, --graph and --json each print something else: take one of them")
    try:
        description = load_rules(rules, facts, allow, functions)
        made = None if picture else make_closures(description)
    except holdsfor.DescriptionError as error:
        if not as_json:
            raise
        sys.stdout.write(json.dumps(report(error.diagnostics), indent=2) + "\n")
        raise typer.Exit(1) from None
    if as_json:
        sys.stdout.write(json.dumps(report(description.warnings, description, made), indent=2) + "\n")
        return
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    if picture:
        sys.stdout.write(printable_lines(overview.draw(description, picture)))
    elif made:
        overview.show_overview(description, made, with_plan)
