"""`holdsfor check`: is the event description right, and what is in it?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.console import complain, say, show
from holdsfor.language.description import EventDescription, Signature
from holdsfor.plan import Plan


def check(
    rules: Annotated[list[Path], typer.Argument(metavar="RULES", help="Rule files, background knowledge included.")],
    with_plan: Annotated[bool, typer.Option("--plan", help="Print the plan: operators per definition.")] = False,
) -> None:
    """Report everything that is wrong with the rules; then their kinds, strata and stages."""
    import holdsfor
    from holdsfor.plan import plan

    description = holdsfor.load(*rules)
    for warning in description.warnings:
        complain(f"{warning}\n", style="yellow")
    made = plan(description)
    show("inputs", ("name", "kind", "read by a rule"), _inputs(description))
    show("definitions", ("name", "kind", "stratum", "stage"), _definitions(description, made))
    if with_plan:
        say(str(made))
    say(f"{len(description.rules)} rules, {len(description.warnings)} warnings")


def _inputs(description: EventDescription) -> Iterator[tuple[object, ...]]:
    kinds = {"event": "event", "interval": "fluent", "point": "fluent, by points"}
    for one in description.inputs:
        yield one.signature, kinds[one.kind], "yes" if one.read else "no"


def _definitions(description: EventDescription, made: Plan) -> Iterator[tuple[object, ...]]:
    stages = _stages(made)
    for number, stratum in enumerate(description.strata, 1):
        for signature in stratum:
            yield signature, _kind(description, signature), number, stages.get(signature, "never true")


def _kind(description: EventDescription, signature: Signature) -> str:
    if signature in description.events:
        return "event"
    return "simple fluent" if signature in description.simple else "static fluent"


def _stages(made: Plan) -> dict[Signature, str]:
    """Stage number and how its data is brought together, per definition."""
    found: dict[Signature, str] = {}
    for number, stage in enumerate(made.stages, 1):
        for index in stage.definitions:
            definition = made.definitions[index]
            signature = definition.relation.signature if hasattr(definition, "relation") else definition.signature
            found[signature] = f"{number}, by {stage.by}" if stage.by != "all" else f"{number}, all together"
    return found
