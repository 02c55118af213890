"""Which column of a table is which. From Python, from a dict, or from a small TOML file:

    name = "event"          # the column with the name of the event or fluent; or, for a table of one event,
    constant = "velocity"   #   its name (then there is no such column)
    time = "t"              # when it happened, or began
    end = "t_end"           # fluents: the point after the last one; null: still open
    arrival = "received"    # when it became known; without one: the time, for a fluent its end
    value = "value"         # fluents: the value; without one: true
    op = "op"               # 1 inserts, -1 retracts; without one all rows insert
    unit = "s"              # the tick of time stamps that are dates: s, ms, us, ns, min, h, d

    [events]                # the argument columns of each event, in order
    velocity = ["vessel", "speed", "course", "heading"]
    [fluents]
    proximity = ["vessel", "other"]

    [topics]                # MQTT: what the messages on a topic are; {vessel} is a level that becomes a column
    "ais/{vessel}/speed" = "velocity"

All of it is optional. Without `name`, `time`, ... the usual names are looked for (event or name; time, t or start;
end or t_end; arrival; value; op). An event that is not listed takes the columns arg1, arg2, ... or, where there are
none, all columns without another meaning, in the order of the table; columns that are left over must be null in its
rows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from holdsfor.errors import HoldsforError

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_USUAL = {
    "name": ("event", "name"),
    "time": ("time", "t", "start"),
    "end": ("end", "t_end"),
    "arrival": ("arrival",),
    "value": ("value",),
    "op": ("op",),
}


@dataclass(frozen=True)
class Mapping:
    """See the module. Column names are None where the usual names are to be looked for."""

    name: str | None = None
    constant: str | None = None
    time: str | None = None
    end: str | None = None
    arrival: str | None = None
    value: str | None = None
    op: str | None = None
    unit: str = "s"
    events: AnyMapping[str, Sequence[str]] = field(default_factory=dict)
    fluents: AnyMapping[str, Sequence[str]] = field(default_factory=dict)
    topics: AnyMapping[str, Any] = field(default_factory=dict)  # see `holdsfor.io.mqtt.topics`

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise HoldsforError(f"unit = {self.unit!r} is not known. Write one of {', '.join(UNITS)}.")
        if both := sorted(set(self.events) & set(self.fluents)):
            raise HoldsforError(f"{both[0]} is both in [events] and in [fluents]. Keep one.")
        if self.name is not None and self.constant is not None:
            raise HoldsforError(f"give name = {self.name!r} (a column) or constant = {self.constant!r}, not both.")

    @property
    def arguments(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(columns) for name, columns in [*self.events.items(), *self.fluents.items()]}


@dataclass(frozen=True, slots=True)
class Roles:
    """The mapping for one table: which of its columns is which, None where it has none."""

    name: str | None
    constant: str | None
    time: str
    end: str | None
    arrival: str | None
    value: str | None
    op: str | None
    others: tuple[str, ...]  # arguments of what is not listed, in order


def as_mapping(given: Mapping | AnyMapping[str, Any] | str | Path | None) -> Mapping:
    """A mapping from whatever a user gives: one, a dict, the path of a TOML file, or nothing."""
    if given is None:
        return Mapping()
    if isinstance(given, Mapping):
        return given
    origin = "the mapping"
    if isinstance(given, str | Path):
        origin, given = str(given), _toml(Path(given))
    known = [f.name for f in fields(Mapping)]
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, known)
            raise HoldsforError(f"{origin}: unknown key {key!r}.{hint} Known keys: {', '.join(known)}.")
        _check_value(origin, key, value)
    return Mapping(**given)


def roles(mapping: Mapping, columns: Sequence[str], fluents: Set[str]) -> Roles:
    """Finds the columns of a table; one that is named and not there is an error. fluents: names of input fluents."""
    listed = {column for args in mapping.arguments.values() for column in args}
    for column in sorted(listed):
        _require(column, columns, "an argument")
    found = {role: _find(role, getattr(mapping, role), columns, listed) for role in _USUAL}
    constant = mapping.constant
    if constant is not None:
        found["name"] = None
    elif found["name"] is None:
        if len(mapping.arguments) != 1:
            raise HoldsforError(
                f"no column says which event a row is (columns: {', '.join(columns)}). "
                "Name it in the mapping (name = ...), or write constant = ... for a table of one event."
            )
        constant = next(iter(mapping.arguments))
    if constant is not None and constant not in fluents:  # then a column called value or end is an argument like others
        found |= {"end": mapping.end, "value": mapping.value}
    time = found["time"]
    if time is None:
        raise HoldsforError(f"no column holds the time (columns: {', '.join(columns)}). Name it: time = ...")
    rest = _others(columns, found)
    return Roles(found["name"], constant, time, found["end"], found["arrival"], found["value"], found["op"], rest)


def _others(columns: Sequence[str], found: AnyMapping[str, str | None]) -> tuple[str, ...]:
    numbered = [f"arg{i}" for i in range(1, len(columns) + 1)]
    if numbered[0] in columns:
        return tuple(column for column in numbered if column in columns)
    taken = set(found.values())
    return tuple(column for column in columns if column not in taken)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, 1, 0.5) or [k for k in known if k.lower() == word.lower()]
    return f" Did you mean {close[0]!r}?" if close else ""


def _find(role: str, given: str | None, columns: Sequence[str], listed: set[str]) -> str | None:
    if given is not None:
        _require(given, columns, f"the {role}")
        return given
    return next((column for column in _USUAL[role] if column in columns and column not in listed), None)


def _require(column: str, columns: Sequence[str], use: str) -> None:
    if column not in columns:
        hint = did_you_mean(column, columns)
        raise HoldsforError(f"no such column for {use}: {column!r}.{hint} The table has {', '.join(columns)}.")


def _check_value(origin: str, key: str, value: object) -> None:
    if key in ("events", "fluents"):
        right = isinstance(value, AnyMapping) and all(
            isinstance(args, list | tuple) and all(isinstance(a, str) for a in args) for args in value.values()
        )
        if not right:
            raise HoldsforError(f'{origin}: [{key}] lists columns by name, such as velocity = ["vessel", "speed"].')
    elif key == "topics":
        if not isinstance(value, AnyMapping):
            raise HoldsforError(f'{origin}: [topics] lists topics, such as "ais/{{vessel}}/speed" = "velocity".')
    elif not isinstance(value, str):
        raise HoldsforError(f"{origin}: {key} is the name of a column, in quotes; found {value!r}.")


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HoldsforError(f"cannot read the mapping {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise HoldsforError(f"{path} is not a TOML file: {error}.") from error
