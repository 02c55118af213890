"""The command `holdsfor`: one module per subcommand."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import holdsfor
from holdsfor.cli.check import check
from holdsfor.cli.console import complain, say
from holdsfor.cli.demo import demo
from holdsfor.cli.fmt import fmt
from holdsfor.cli.plain_values import take_plain_values
from holdsfor.cli.progress import progress
from holdsfor.cli.run import RunCommand, run
from holdsfor.cli.show import show_results
from holdsfor.cli.state import state
from holdsfor.cli.stream import stream
from holdsfor.cli.timeline import timeline
from holdsfor.errors import HoldsforError


class Commands(TyperGroup):
    """A user's mistake ends any command with its message and exit code 1; a traceback means that we have a bug."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        take_plain_values(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        take_plain_values(command.get_params(ctx) if command is not None else ())
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except HoldsforError as error:
            complain(str(error))
            raise typer.Exit(1) from error


app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"holdsfor {holdsfor.__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Recognises what is happening, to whom, and for how long, in streams of events, by declarative rules."""


app.command()(check)
app.command()(fmt)
app.command(cls=RunCommand)(run)
app.command()(stream)
app.command(cls=RunCommand)(progress)
app.command("show")(show_results)
app.command(cls=RunCommand)(timeline)
app.add_typer(state, name="state")
app.command()(demo)
