"""Inputs of a run, noted down beside its tables (`inputs.json`), so that questions need not name them again.

Paths of files are relative to the folder: it can be moved together with them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.duration import GivenTimes, TickUnit
from holdsfor.errors import HoldsforError

if TYPE_CHECKING:
    from holdsfor.io.readers.read import EventSource
    from holdsfor.language.description import EventDescription
    from holdsfor.language.vocabulary import Policy
    from holdsfor.why.origin import Origin

FILE, VERSION = "inputs.json", 1


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Rules and events as the command line names them."""

    rules: Sequence[str]
    facts: Sequence[str] = ()
    allow: Sequence[str] = ()
    functions: str | None = None
    bound: Sequence[str] = ()
    events: Sequence[str] | Mapping[str, str] = ()
    format: str | None = None
    mapping: str | None = None
    tick_unit: TickUnit | None = None
    policy: Policy | None = None

    def moved(self, move: Callable[[str], str]) -> RunInputs:
        """Return the same with other paths."""
        events: Sequence[str] | Mapping[str, str] = [move(path) for path in self.events]
        if isinstance(self.events, Mapping):
            events = {name: move(path) for name, path in self.events.items()}
        return replace(
            self,
            rules=list(map(move, self.rules)),
            facts=[f"{name}={move(path)}" for name, _, path in (fact.partition("=") for fact in self.facts)],
            allow=list(map(move, self.allow)),
            functions=self.functions and move(self.functions),
            events=events,
            mapping=self.mapping and move(self.mapping),
        )

    def description(self) -> EventDescription:
        """Load the rules."""
        from holdsfor.cli.start.reading import add_bounds, load_rules
        from holdsfor.loading import make_closures

        functions = None if self.functions is None else Path(self.functions)
        folders = [*map(Path, self.allow)]
        mapping = None if self.mapping is None else Path(self.mapping)
        loaded = load_rules([*map(Path, self.rules)], list(self.facts), folders, functions, self.policy, mapping)
        make_closures(loaded)
        return add_bounds(loaded, self.bound, self.tick_unit or "s")

    def source(self) -> EventSource:
        """Name the events."""
        from holdsfor.io.readers.read import read_events

        return read_events(self.events, format=self.format, mapping=self.mapping)

    def origin(self, times: GivenTimes) -> Origin:
        """Read the events, so that questions about their history can be answered."""
        from holdsfor.local.recognise import open_origin

        return open_origin(self.description(), self.source(), times)


def name_inputs(
    rules: Sequence[Path],
    events: Sequence[str] | Mapping[str, str],
    format: str | None,
    mapping: Path | None,
    *,
    facts: Sequence[str] | None,
    allow: Sequence[Path] | None,
    functions: Path | None,
    bound: Sequence[str] | None = None,
    tick_unit: TickUnit | None,
    policy: Policy | None = None,
) -> RunInputs:
    """Name what the options of a command say."""
    files = None if functions is None else str(functions)
    named = None if mapping is None else str(mapping)
    folders = [str(folder) for folder in allow or ()]
    names = [str(rule) for rule in rules]
    return RunInputs(names, facts or (), folders, files, bound or (), events, format, named, tick_unit, policy)


def note_inputs(folder: Path, inputs: RunInputs) -> None:
    """Write down what a run has read."""
    from holdsfor.io.storage.whole_file import open_whole

    moved = inputs.moved(lambda path: os.path.relpath(path, folder))
    text = json.dumps({"version": VERSION, "digests": _digests(inputs.rules), **asdict(moved)}, indent=2)
    with open_whole(folder / FILE) as file:
        file.write(text.encode())


def read_origin(folder: Path) -> Origin:
    """Read again what a run has read, for its history."""
    path = folder / FILE
    if not path.exists():
        raise HoldsforError(f"{path} is not there. Name a folder that `holdsfor run` wrote, or rules and --events.")
    noted = json.loads(path.read_text(encoding="utf-8"))
    version, digests = noted.pop("version"), noted.pop("digests")
    if version != VERSION:
        raise HoldsforError(f"{path} is of version {version}, and this Holdsfor reads {VERSION}. Run again.")
    inputs = RunInputs(**noted).moved(lambda name: os.path.normpath(folder / name))
    for rule, digest in zip(inputs.rules, digests, strict=True):
        if not Path(rule).is_file() or _digests([rule]) != [digest]:
            raise HoldsforError(f"{rule} is not what it was when {folder} was written. Run again, then ask.")
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    times = {name: metrics[name] for name in ("window", "step", "start", "end", "sample_every")}
    return inputs.origin(GivenTimes(**times, tick_unit=inputs.tick_unit))


def _digests(paths: Sequence[str]) -> list[str]:
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths]
