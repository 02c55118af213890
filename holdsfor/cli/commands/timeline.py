"""`holdsfor timeline`: the results of a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from typing import Literal as OneOf

import typer

from holdsfor.cli.commands.options import AllowDir, Facts, Format, Functions, Mapping, input_option, rules_option
from holdsfor.cli.output.console import progress, say
from holdsfor.cli.output.results import read_results
from holdsfor.cli.start.reading import load_rules, mapped_files
from holdsfor.cli.start.run_inputs import read_origin
from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    import pyarrow as pa

    from holdsfor import EventDescription

MOST_REASONS = 300
OUT = typer.Option("--out", "-o", metavar="FILE", help="The page; without it, timeline.html in DIR.")
UNIT = typer.Option(help="What a tick is, so that times are shown as dates; auto: as the numbers look.")
RULE_FILES = rules_option(
    "--rules",
    metavar="FILE",
    help="The rules of the results, shown where they define something; may be given several times.",
)
EVENTS = input_option(metavar="FILE...", help="The input of the results, to be drawn below them; needs --rules.")
WHY = typer.Option("--why", help=f"Put in why the first {MOST_REASONS} intervals hold; DIR is one of a run.")
GROUPS = typer.Option(metavar="FILE", help="CSV or Parquet: an entity, and the group it is to be seen with.")


def timeline(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `holdsfor run` wrote, or a stream's tables.")],
    out: Annotated[Path | None, OUT] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What the page is called.")] = "Holdsfor timeline",
    tick_unit: Annotated[OneOf["auto", "s", "ms", "ticks"], UNIT] = "auto",
    groups: Annotated[Path | None, GROUPS] = None,
    rules: Annotated[list[Path] | None, RULE_FILES] = None,
    events: Annotated[list[str] | None, EVENTS] = None,
    format: Format = None,
    mapping: Mapping = None,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    why: Annotated[bool, WHY] = False,
) -> None:
    """Draw intervals and occurrences as one self-contained HTML page."""
    from holdsfor.cli.output.definitions import page_definitions
    from holdsfor.cli.output.trees import explain_bars
    from holdsfor.view import timeline as draw
    from holdsfor.view.inputs import input_table

    if not rules and (events or mapping):
        raise typer.BadParameter("--events and --mapping need --rules: the rules say what a row means.")
    page = out or folder / "timeline.html"
    results = read_results(folder)
    origin = read_origin(folder) if why else None
    description = None if origin is None else origin.description
    if rules:
        description = load_rules(rules, facts, allow_dir, functions, mapping=mapping)
    definitions = () if description is None else page_definitions(description)
    grouped = None if groups is None else _read_groups(groups)
    inputs = _read_inputs(description, events, format, mapping)
    if origin is not None and inputs is None:
        inputs = input_table(origin.source.read(origin.description.inputs))
    reasons = () if origin is None else explain_bars(origin, results.intervals.slice(0, MOST_REASONS))
    tables = (results.intervals, results.occurrences)
    try:
        with progress("Drawing"):
            draw(
                *tables, page, title, tick_unit, inputs=inputs, definitions=definitions, groups=grouped, reasons=reasons
            )
    except OSError as error:
        raise HoldsforError(f"cannot write {page}: {error.strerror}. Name another file with --out.") from error
    say(f"Timeline: {page}")


def _read_inputs(
    description: EventDescription | None, events: list[str] | None, format: str | None, mapping: Path | None
) -> pa.Table | None:
    from holdsfor import read_events
    from holdsfor.view.inputs import input_table

    source = events or (mapped_files(mapping) if mapping else None)
    if description is None or not source:
        return None
    return input_table(read_events(source, format=format, mapping=mapping).read(description.inputs))


def _read_groups(path: Path) -> dict[str, str]:
    """Return the group of each entity: the second column, by the first."""
    from holdsfor.io.columns.text import as_text, plain_text
    from holdsfor.io.readers.facts import read_facts

    columns = read_facts("groups", path).columns
    if len(columns) < 2:
        raise HoldsforError(f"{path} has one column. --groups needs two: an entity, and its group.")
    encoded = map(as_text, columns[:2])
    texts = (plain_text(column.dictionary).take(column.indices).to_pylist() for column in encoded)
    return dict(zip(*texts, strict=True))
