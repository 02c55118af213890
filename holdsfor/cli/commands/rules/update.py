"""`holdsfor update`: other rules take over on the checkpoint of a stream."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.commands.options import (
    AllowDir,
    Bound,
    DefaultPolicy,
    Facts,
    Functions,
    Only,
    UnitOfTicks,
    fault_option,
    rules_option,
)
from holdsfor.cli.output.console import complain, say, show
from holdsfor.cli.start.reading import add_bounds, load_rules

if TYPE_CHECKING:
    from holdsfor.job.live.update.rule_update import RuleUpdate

CHECKPOINT = typer.Argument(metavar="CHECKPOINT", help="The checkpoint of a stream that does not run.")
RULES = typer.Argument(metavar="RULES...", help="The rule files that take over; none with --back.")
OLD = rules_option(
    "--old",
    metavar="FILE",
    help="A rule file that it has now, if its checkpoint has not all of its rules; may be given several times.",
)
BACK = rules_option("--back", help="Go back to the rules before the last update.")
TAKE_OVER = fault_option("--take-over", help="Take the checkpoint from another process that has it; that one stops.")


def update_rules(
    checkpoint: Annotated[str, CHECKPOINT],
    rules: Annotated[list[Path] | None, RULES] = None,
    old: Annotated[list[Path] | None, OLD] = None,
    back: Annotated[bool, BACK] = False,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    policy: DefaultPolicy = None,
    bound: Bound = None,
    tick_unit: UnitOfTicks = None,
    only: Only = None,
    take_over: Annotated[bool, TAKE_OVER] = False,
) -> None:
    """Let other rules take over on a stream that does not run; what does not change keeps its state."""
    from holdsfor.job.live.update.checkpoint import update
    from holdsfor.language.choosing import agree_on_tick_unit, choose_results

    if back == bool(rules):
        raise typer.BadParameter("give the rule files that take over, or --back.")
    description = None
    if rules:
        description = load_rules(rules, facts, allow_dir, functions, policy)
        for warning in description.warnings:
            complain(f"{warning}\n", style="yellow")
        unit = agree_on_tick_unit(description, tick_unit)
        description = choose_results(add_bounds(description, bound or [], unit), only or None)
    earlier = load_rules(old, facts, allow_dir, functions, policy) if old else None
    _show(checkpoint, update(checkpoint, description, old=earlier, take_over=take_over))


def _show(checkpoint: str, update: RuleUpdate) -> None:
    rows = [row for row in update.definitions.to_pylist() if row["change"] != "untouched"]
    cells = [(row["name"], row["change"], _valid_from(row["valid_from"], row["is_whole"])) for row in rows]
    if cells:
        show(checkpoint, ("definition", "change", "valid"), cells)
    when = "before the first query time" if update.query_time is None else f"at query time {update.query_time}"
    untouched = len(update.definitions) - len(rows)
    say(
        f"Update {update.number} {when}: {untouched:,} definitions as they were, {len(update.intervals):,} changes of "
        f"intervals, {len(update.occurrences):,} of occurrences. The next start needs these rules."
    )


def _valid_from(valid_from: int | None, is_whole: bool) -> str:
    if valid_from is None:
        return "from the start"
    return f"after {valid_from}" + ("" if is_whole else ", each as soon as a rule says something of it")
