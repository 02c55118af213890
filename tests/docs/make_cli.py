"""Write the options of all commands into docs/cli.md, behind its marker: `python -m tests.docs.make_cli`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from holdsfor.cli.commands import COMMANDS
from tests.docs.examples import ROOT

PATH = ROOT / "docs" / "cli.md"
MARKER = "<!-- Below: made from the code by `python -m tests.docs.make_cli`. -->\n"


def make_cli() -> str:
    """Return the page: what stands before the marker, and the options of each command."""
    head = PATH.read_text(encoding="utf-8").partition(MARKER)[0]
    return head + MARKER + "".join(f"{line}\n" for name in COMMANDS for line in command_lines(name))


def command_lines(name: str) -> Iterator[str]:
    """Yield the section of one command, or of each command in a group."""
    module, attribute = COMMANDS[name]
    command = getattr(import_module(f"holdsfor.cli.commands.{module}"), attribute)
    if isinstance(command, typer.Typer):
        for part in command.registered_commands:
            assert part.callback is not None
            yield from section(f"{name} {part.name or part.callback.__name__}", part.callback)
    else:
        yield from section(name, command)


def section(name: str, command: Callable[..., Any]) -> Iterator[str]:
    """Yield heading, help and a table of the parameters of a command."""
    yield f"\n## holdsfor {name}\n"
    yield from inspect.cleandoc(command.__doc__ or "").splitlines()
    hints = get_type_hints(command, include_extras=True)
    defaults = inspect.signature(command).parameters
    told = [name for name in defaults if get_args(hints[name])]  # all but the context
    rows = [row(name, hints[name], defaults[name].default) for name in told]
    if rows:
        yield "\n| option | meaning |\n|---|---|"
        yield from (f"| {spelling} | {meaning} |" for spelling, meaning in rows)


def row(name: str, hint: Any, default: Any) -> tuple[str, str]:
    """Return how a parameter is written, and what it means."""
    kind, info = get_args(hint)[:2]
    is_argument = isinstance(info, typer.models.ArgumentInfo)
    spelled = [one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str) and one.startswith("-")]
    names = [name.upper()] if is_argument else spelled or [f"--{name.replace('_', '-')}"]
    if is_argument and info.metavar:
        names = [info.metavar]
    is_switch = kind is bool
    value = "" if is_argument or is_switch else " " + (info.metavar or value_of(kind))
    help_text = " ".join((info.help or "").split())
    if default is inspect.Parameter.empty:
        help_text += " Required."
    elif isinstance(default, str | int | float) and not is_switch and "efault" not in help_text:
        help_text += f" Default: `{default}`."
    spelling = ", ".join(f"`{one}{value}`" for one in names)
    return spelling.replace("|", "\\|"), help_text.strip().replace("|", "\\|")


def value_of(kind: Any) -> str:
    """Return a word for the value of an option."""
    kinds = [kind, *get_args(kind), *(inner for one in get_args(kind) for inner in get_args(one))]
    literals = [one for one in kinds if isinstance(one, str)]
    return "|".join(literals) or ("NUMBER" if {int, float} & {*kinds} else "PATH" if Path in kinds else "VALUE")


if __name__ == "__main__":
    PATH.write_text(make_cli(), encoding="utf-8")
