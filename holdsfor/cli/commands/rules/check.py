"""`holdsfor check`: is the event description right, and what is in it?"""

from __future__ import annotations

import json
import sys
from typing import Annotated
from typing import Literal as OneOf

import typer

from holdsfor.cli.commands.options import AllowDir, DefaultPolicy, Facts, Functions, Mapping, RuleFiles
from holdsfor.cli.output.console import complain
from holdsfor.cli.start.reading import load_rules
from holdsfor.printable import printable_lines

Picture = OneOf["mermaid", "dot", "svg"]
PLAN = typer.Option("--plan", help="Print the plan before and after the optimiser, and what each pass changed.")
GRAPH = typer.Option("--graph", help="Print only the dependency graph: as text for Mermaid or Graphviz, or drawn.")
JSON = typer.Option("--json", help="Print only data: diagnostics and all that is known.")


def check(
    rules: RuleFiles,
    with_plan: Annotated[bool, PLAN] = False,
    picture: Annotated[Picture | None, GRAPH] = None,
    as_json: Annotated[bool, JSON] = False,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    policy: DefaultPolicy = None,
    mapping: Mapping = None,
) -> None:
    """Report everything that is wrong with the rules; then their kinds, strata, stages and uses."""
    import holdsfor
    from holdsfor.cli.output import overview
    from holdsfor.cli.output.report import report
    from holdsfor.loading import make_closures

    if (picture is not None) + as_json + with_plan > 1:
        raise typer.BadParameter("--plan, --graph and --json each print something else: take one of them")
    try:
        description = load_rules(rules, facts, allow_dir, functions, policy, mapping)
        plan = None if picture else make_closures(description)
    except holdsfor.DescriptionError as error:
        if not as_json:
            raise
        sys.stdout.write(json.dumps(report(error.diagnostics), indent=2) + "\n")
        raise typer.Exit(1) from None
    if as_json:
        sys.stdout.write(json.dumps(report(description.warnings, description, plan), indent=2) + "\n")
        return
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    if picture:
        sys.stdout.write(printable_lines(overview.draw(description, picture)))
    elif plan:
        overview.show_overview(description, plan, with_plan)
