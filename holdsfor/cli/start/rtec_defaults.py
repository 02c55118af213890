"""RTEC's `defaults.toml`: a table for each application, with its files, its window and its times."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.cli.output.console import complain
from holdsfor.errors import HoldsforError

USED = (
    "event_description",
    "background_knowledge",
    "input_providers",
    "input_mode",
    "results_directory",
    "window_size",
    "step",
    "start_time",
    "end_time",
    "clock_tick",
    "goals",
)
# They say how RTEC reads, prints and draws, not what is recognised.
WITHOUT_EFFECT = ("stream_rate", "output_mode", "dependency_graph_flag", "dependency_graph_directory", "include_input")
INPUT_MODES = ("csv", "fifo", "socket")  # for the last two, too, the table names files: RTEC's script plays them


@dataclass(frozen=True, slots=True)
class Defaults:
    """Settings of a table; one that the table does not have is None, or empty."""

    rules: Sequence[Path] = ()
    events: Sequence[str] = ()
    out: Path | None = None
    window: int | None = None
    step: int | None = None
    start: int | None = None
    end: int | None = None
    sample_every: int | None = None


def split(rules: Sequence[Path], application: str | None) -> tuple[list[Path], Defaults]:
    """Return the rule files, and the defaults of the table among them, if there is one."""
    tables = [path for path in rules if path.suffix == ".toml"]
    if len(tables) > 1:
        raise HoldsforError(f"{tables[0]} and {tables[1]}: give one table of defaults.")
    if not tables and application is not None:
        raise HoldsforError(
            f"--app {application} names an application of RTEC's defaults.toml: give that file, too: "
            f"holdsfor run defaults.toml --app {application}"
        )
    others = [path for path in rules if path.suffix != ".toml"]
    return others, read_defaults(tables[0], application) if tables else Defaults()


def read_defaults(path: Path, application: str | None) -> Defaults:
    """Read the table of one application. Paths in it are relative to its folder, where RTEC's script runs."""
    name, table = _application(path, _load(path), application)
    where = f"{path}, [{name}]"
    unknown = [key for key in table if key not in (*USED, *WITHOUT_EFFECT)]
    if unknown:
        complain(f"{where}: not known here, left out: {', '.join(unknown)}\n", style="yellow")
    _refuse(where, table)

    def setting(key: str, read: Callable[[str, Any], Any]) -> Any:
        return read(f"{where}: {key}", table[key]) if key in table else None

    rules = [*(setting("event_description", _texts) or ()), *(setting("background_knowledge", _texts) or ())]
    results = setting("results_directory", _text)
    return Defaults(
        rules=[_beside(path, text) for text in rules],
        events=[str(_beside(path, text)) for text in setting("input_providers", _texts) or ()],
        out=None if results is None else _beside(path, results),
        window=setting("window_size", _ticks),
        step=setting("step", _ticks),
        start=setting("start_time", _ticks),
        end=setting("end_time", _ticks),
        sample_every=setting("clock_tick", _ticks),
    )


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HoldsforError(f"cannot read {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HoldsforError(f"{path} is not TOML: {error}.") from error


def _application(path: Path, tables: dict[str, Any], application: str | None) -> tuple[str, dict[str, Any]]:
    applications = [name for name, table in tables.items() if isinstance(table, dict)]
    if not applications:
        raise HoldsforError(f"{path} has no application. Begin one with a line such as [maritime].")
    if application is None and len(applications) > 1:
        raise HoldsforError(
            f"{path} has several applications: choose one of them with --app: {', '.join(applications)}."
        )
    name = application or applications[0]
    if name not in applications:
        from holdsfor.io.readers.mapping import did_you_mean

        hint = did_you_mean(name, applications, 0.6) or f" It has {', '.join(applications)}."
        raise HoldsforError(f"{path} has no application {name}.{hint}")
    return name, tables[name]


def _refuse(where: str, table: dict[str, Any]) -> None:
    """Refuse settings that would change the answer and cannot be followed."""
    if table.get("goals"):
        raise HoldsforError(
            f"{where}: goals are Prolog queries, and there is no Prolog here. "
            "Write what they add as facts in a rule file, and leave the goals out."
        )
    mode = table.get("input_mode", "csv")
    if mode not in INPUT_MODES:
        raise HoldsforError(
            f"{where}: input_mode {mode!r} cannot be read; it may be {', '.join(INPUT_MODES)}. "
            "Give the events as RTEC's CSV: name|arrival|occurrence|arguments."
        )


def _beside(table: Path, text: str) -> Path:
    """Return a path that is relative to the folder of the table, as short as it can be."""
    return Path(os.path.normpath(table.parent / text))


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise HoldsforError(f"{where} is a path in quotes, not {value!r}.")
    return value


def _texts(where: str, value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    return [_text(where, text) for text in texts]


def _ticks(where: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise HoldsforError(f"{where} is a whole number of ticks, not {value!r}.")
    return value
