"""Make the command `holdsfor`: one module per subcommand, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import holdsfor
from holdsfor.cli.output.console import complain, say
from holdsfor.errors import HoldsforError

#: Each subcommand, in the order of the help: its module in this folder, and its name there.
COMMANDS = {
    "check": ("rules.check", "check"),
    "fmt": ("rules.fmt", "fmt"),
    "translate": ("rules.translate", "translate_rules"),
    "run": ("run", "run"),
    "stream": ("stream", "stream"),
    "why": ("why", "why"),
    "verify": ("verify", "verify"),
    "test": ("rules.test", "run_tests"),
    "diff": ("rules.diff", "diff_rules"),
    "update": ("rules.update", "update_rules"),
    "progress": ("progress", "progress"),
    "show": ("show", "show_results"),
    "timeline": ("timeline", "timeline"),
    "state": ("state", "state"),
    "warm": ("warm", "warm"),
    "demo": ("demo", "demo"),
}
TAKES_EVENT_FILES = ("run", "why", "diff", "progress", "timeline")


class Commands(TyperGroup):
    """A group of commands: a user's mistake ends any of them with its message and exit code 1.

    A traceback means that we have a bug.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _hide_values_of_switches(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        _hide_values_of_switches(command.get_params(ctx) if command is not None else ())
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except HoldsforError as error:
            complain(str(error))
            raise typer.Exit(1) from error
        except MemoryError as error:
            complain("there is not enough memory for this. Give fewer files at a time, or more memory.")
            raise typer.Exit(1) from error


def _hide_values_of_switches(parameters: Sequence[Any]) -> None:
    """Let the help show switches without a value."""
    for parameter in parameters:
        if getattr(parameter, "is_bool_flag", False):
            parameter.metavar = ""


def _show_version(is_asked: bool) -> None:
    if is_asked:
        say(f"holdsfor {holdsfor.__version__}")
        raise typer.Exit


def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Recognise what is happening, to whom, and for how long, in streams of events, by declarative rules."""


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Make the command with these subcommands; making all of them takes longer than checking some rules."""
    app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(main)
    for name in names:
        _add_command(app, name)
    return app


def _add_command(app: typer.Typer, name: str) -> None:
    module, attribute = COMMANDS[name]
    command = getattr(import_module(f"holdsfor.cli.commands.{module}"), attribute)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    elif name in TAKES_EVENT_FILES:
        from holdsfor.cli.commands.options import EventFilesCommand

        app.command(name, cls=EventFilesCommand)(command)
    else:
        app.command(name)(command)
