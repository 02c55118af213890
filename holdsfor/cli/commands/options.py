"""Options that several commands have: each with its type, its words in the help, and its panel there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from holdsfor.duration import TickUnit
from holdsfor.io import EventFormat
from holdsfor.language.vocabulary import Policy

#: An option in a panel of the help.
input_option = partial(typer.Option, rich_help_panel="Input")
rules_option = partial(typer.Option, rich_help_panel="Rules")
time_option = partial(typer.Option, rich_help_panel="Time")
output_option = partial(typer.Option, rich_help_panel="Output")
fault_option = partial(typer.Option, rich_help_panel="State and faults")
engine_option = partial(typer.Option, rich_help_panel="Engine and Spark")
metrics_option = partial(typer.Option, rich_help_panel="Logs and metrics")

Events = Annotated[
    list[str] | None,
    input_option(
        metavar="FILE...",
        help="Event files: RTEC's CSV, CSV with a header, JSON lines, Parquet, Feather, terms, ETALIS.",
    ),
]
Format = Annotated[
    EventFormat | None,
    input_option(help="Format of the events; guessed where it is clear."),
]
Mapping = Annotated[
    Path | None,
    input_option(metavar="FILE", help="A TOML file that says which column is which."),
]
RuleFiles = Annotated[list[Path], typer.Argument(metavar="RULES", help="Rule files, background knowledge included.")]
RuleFilesOrRun = Annotated[
    list[Path],
    typer.Argument(
        metavar="RULES", help="Rule files, background knowledge included; or a folder that `holdsfor run` wrote."
    ),
]
RuleFilesOrTable = Annotated[
    list[Path],
    typer.Argument(
        metavar="RULES",
        help="Rule files, background knowledge included; or RTEC's defaults.toml, for all that is not given here.",
    ),
]
Facts = Annotated[
    list[str] | None,
    rules_option(metavar="NAME=FILE", help="A table of background facts, Parquet or CSV; may be given several times."),
]
Functions = Annotated[
    Path | None,
    rules_option(
        metavar="FILE", help="A Python file with functions for aggregates. It is executed: name only what you trust."
    ),
]
DefaultPolicy = Annotated[
    Policy | None,
    rules_option(
        "--policy",
        help="The policy of patterns in files that set none; recent is what ETALIS takes. Without it: unrestricted.",
    ),
]
AllowDir = Annotated[
    list[Path] | None,
    rules_option(metavar="DIR", help="Another folder that rule files may name files in; may be given several times."),
]
Bound = Annotated[
    list[str] | None,
    rules_option(
        metavar="[NAME/ARITY=]TICKS",
        help="How far a definition may look back and ahead that has no bound of its own: ticks, or a duration such as "
        "4h. Without a name: each that has none. May be given several times.",
    ),
]
Only = Annotated[
    list[str] | None,
    rules_option(
        metavar="NAME",
        help="A definition, by name or name/arity, that goes out; the others do not. May be given several times.",
    ),
]
WINDOW = time_option(
    metavar="DURATION", help="How far back an event may lie when it arrives: ticks, or a duration such as 4h."
)
STEP = time_option(metavar="DURATION", help="Ticks, or a duration, from one query time to the next.")
SAMPLE_EVERY = time_option(
    metavar="DURATION", help="Time between two readings of a fluent that is given by readings; 1 tick if not given."
)
UnitOfTicks = Annotated[
    TickUnit | None,
    time_option("--tick-unit", help="What a tick is, for durations with a unit. Without it: as the rules say, or s."),
]
Master = Annotated[
    str | None,
    engine_option(
        metavar="ADDRESS", help="A Spark cluster, such as spark://host:7077. Without one: all cores of this machine."
    ),
]
Conf = Annotated[
    list[str] | None,
    engine_option(metavar="KEY=VALUE", help="A setting of Spark; may be given several times."),
]


SEPARATOR = "\0"  # which no argument can have
#: Options as DESIGN.md names them, and as they are documented.
SPELLINGS = (
    (re.compile(r"(?<![^\0])--tick(?=[=\0])"), "--sample-every"),
    (re.compile(r"(?<![^\0])--tables[=\0]wide(?![^\0])"), "--wide"),
)


class EventFilesCommand(TyperCommand):
    """A command that takes `--events a b c` as `--events a --events b --events c`: a shell expands `day-*.csv`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(respell(args), "--events"))


def respell(args: Sequence[str]) -> list[str]:
    """Write the options that DESIGN.md names as they are documented."""
    text = SEPARATOR.join(args)
    for named, documented in SPELLINGS:
        text = named.sub(documented, text)
    return text.split(SEPARATOR) if args else []


def spread(args: Sequence[str], option: str) -> list[str]:
    """Repeat the option before each of its values; they end at the next option."""
    result: list[str] = []
    values = -1  # of the option that is being read; -1: another one
    for arg in args:
        if arg.startswith("-"):
            values = 0 if arg == option else -1
        elif values >= 0:
            values += 1
            if values > 1:
                result.append(option)
        result.append(arg)
    return result
