"""`holdsfor why`: the reasons of a fact, down to rows of the input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.commands.options import (
    SAMPLE_EVERY,
    STEP,
    WINDOW,
    AllowDir,
    Events,
    Facts,
    Format,
    Functions,
    Mapping,
    RuleFilesOrRun,
    UnitOfTicks,
    input_option,
    output_option,
    time_option,
)
from holdsfor.cli.output.console import say
from holdsfor.cli.start.reading import mapped_files
from holdsfor.cli.start.run_inputs import RunInputs, name_inputs, read_origin
from holdsfor.duration import GivenTimes

if TYPE_CHECKING:
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.origin import Origin
    from holdsfor.why.session import KeptHistory
    from holdsfor.why.why_not.refutation import Refutation

FACT = typer.Argument(metavar="FACT", help="'rendezVous(v1,v2)=true', or an event: 'alarm(v7)'.")
AT = time_option("--at", metavar="TIME", help="When it holds or happens: a tick, or 2026-03-01T08:00.")
START = time_option(metavar="TIME", help="The history begins after it, as in the run that is asked about.")
END = time_option(metavar="TIME", help="What arrives after it is not read.")
NOT = typer.Option("--not", help="Tell why it was not so, and what would have made it so.")
CHANGED = typer.Option("--changed", help="Tell for each change of a fluent which row caused it: late, retracted, new.")
AS_OF = time_option("--as-of", metavar="TIME", help="As it was known then: from what had arrived.")
SESSION = input_option(
    "--session",
    "--checkpoint",
    metavar="DIR",
    help="Instead of events: the session that `Session.save` has written there, or the checkpoint of a stream.",
)
HTML = output_option("--html", metavar="FILE", help="Write the tree as a page.")
BUNDLE = output_option(
    "--bundle",
    metavar="FILE",
    help="Write it with its rows and rules to a file that `holdsfor verify` checks anywhere.",
)
AS_JSON = output_option("--json", help="As one JSON object, for programs.")


def why(
    rules: RuleFilesOrRun,
    fact: Annotated[str, FACT],
    at: Annotated[str | None, AT] = None,
    events: Events = None,
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    window: Annotated[str | None, WINDOW] = None,
    step: Annotated[str | None, STEP] = None,
    sample_every: Annotated[str | None, SAMPLE_EVERY] = None,
    tick_unit: UnitOfTicks = None,
    format: Format = None,
    mapping: Mapping = None,
    facts: Facts = None,
    allow_dir: AllowDir = None,
    functions: Functions = None,
    denied: Annotated[bool, NOT] = False,
    changed: Annotated[bool, CHANGED] = False,
    as_of: Annotated[str | None, AS_OF] = None,
    session: Annotated[Path | None, SESSION] = None,
    html: Annotated[Path | None, HTML] = None,
    as_json: Annotated[bool, AS_JSON] = False,
    bundle: Annotated[Path | None, BUNDLE] = None,
) -> None:
    """Explain why a fluent holds, or an event happens, at a time: by which rules, down to rows of the input."""
    read = name_inputs(
        rules,
        events or mapped_files(mapping),
        format,
        mapping,
        facts=facts,
        allow=allow_dir,
        functions=functions,
        tick_unit=tick_unit,
    )
    times = GivenTimes(window, step, start, end, sample_every or 1, tick_unit)
    history = _open(rules, read, times) if session is None else _open_kept(session, read, times)
    origin = history if as_of is None else history.as_of(as_of)
    if changed:
        causes = origin.why_changed(fact)
        if as_json:
            say(json.dumps([cause.as_dict() for cause in causes], ensure_ascii=False))
        else:
            say("\n".join(map(str, causes)) or f"{fact}: no query time told of it.")
        return
    if bundle is not None and denied:
        raise typer.BadParameter("--bundle: only what is so has a derivation that can be checked; leave out --not.")
    if at is None:
        raise typer.BadParameter("--at: a time is needed; --changed asks for all changes.")
    answer = origin.why_not(fact, at) if denied else origin.why(fact, at)
    if bundle is not None:
        from holdsfor.checker.bundle import make_bundle

        texts = {name: source.text for name, source in origin.description.texts.sources.items()}
        bundle.write_text(json.dumps(make_bundle(answer.as_dict(), texts), ensure_ascii=False), encoding="utf-8")
    _show(answer, html, as_json)


def _open(rules: list[Path], read: RunInputs, times: GivenTimes) -> Origin:
    """Open the history of a run's folder, or of the rules and events that are named."""
    if len(rules) == 1 and rules[0].is_dir():
        return read_origin(rules[0])
    if not read.events:
        raise typer.BadParameter("--events: event files are needed.")
    return read.origin(times)


def _open_kept(session: Path, read: RunInputs, times: GivenTimes) -> KeptHistory:
    """Open a saved session, or a checkpoint, which have events and times of their own."""
    from holdsfor.local.kept import open_kept

    if read.events or any(each is not None for each in (times.window, times.step, times.start, times.end)):
        raise typer.BadParameter("--session has events and times of its own; leave out --events and the times.")
    return open_kept(read.description(), session, times.tick_unit)


def _show(answer: Derivation | Refutation, html: Path | None, as_json: bool) -> None:
    """Print an answer, or write it to a page."""
    from holdsfor.cli.output.trees import say_tree
    from holdsfor.view.reasons import write_reasons
    from holdsfor.why.why_not.refutation import Refutation

    tree = answer.tree if isinstance(answer, Refutation) else answer
    changes = [str(change) for change in answer.changes] if isinstance(answer, Refutation) else []
    if html is not None:
        write_reasons(html, tree, changes)
        say(f"Reasons: {html}")
    elif as_json:
        say(json.dumps(answer.as_dict(), ensure_ascii=False))
    else:
        say_tree(tree, changes)
