"""Offer the command `holdsfor`: its subcommands, how they begin to work, what they print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typer import Typer

    app: Typer

__all__ = ["app"]


def __getattr__(name: str) -> Any:
    """Make the app when it is asked for: a worker of the command needs less of this folder."""
    if name != "app":
        raise AttributeError(f"module 'holdsfor.cli' has no attribute {name!r}")
    from holdsfor.cli.commands import make_app

    made = globals()["app"] = make_app()
    return made
