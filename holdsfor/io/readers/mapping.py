"""Mappings, which say what the columns of a table are. From Python, from a dict, or from a small TOML file:

    name = "event"          # the column with the name of the event or fluent; or, for a table of one event,
    event = "velocity"      #   its name (then there is no such column)
    time = "t"              # when it happened, or began
    end = "t_end"           # fluents: the point after the last one; null: open
    arrival = "received"    # when it became known; without one: the time, for a fluent its end
    value = "value"         # fluents: the value; without one: true
    op = "op"               # 1 inserts, -1 retracts; without one all rows insert; of facts also insert, update, delete
    valid_from = "since"    # facts: from when on it is valid; null: from the start of the history on
    valid_to = "until"      # facts: the point after the last one; null: open
    tick_unit = "s"         # the tick of time stamps that are dates: s, ms, us, ns, min, h, d; without it: as the
                            #   rules (`:- tick(ms).`) or the command line say, or s
    zone = "Europe/Athens"  # of dates and time stamps that name none; without it: UTC

    [events]                # the argument columns of each event, in order
    velocity = ["vessel", "speed", "course", "heading"]
    [fluents]
    proximity = ["vessel", "other"]
    [facts]                 # those of facts that change; a row with the key of an earlier one takes its place
    linked = ["from", "to"]
    berth = { columns = ["vessel", "quay"], key = ["vessel"] }

    [types]                 # the type of a column's terms, where it is not as it looks: integer, float, text
    vessel = "text"

    [topics]                # MQTT: what the messages on a topic are; {vessel} is a level that becomes a column
    "ais/{vessel}/speed" = "velocity"

    [tables.doors]          # several tables of different shape: each has all of the above for itself;
    files = "doors-*.csv"   #   names of its files
    event = "door"          #   keys that are not given here are as above all tables

All of it is optional. Without `name`, `time`, ... the usual names are looked for (event or name; time, t or start;
end or t_end; arrival; value; op; valid_from, or else the time; valid_to, or else the end). An event that is not listed
takes the columns arg1, arg2, ... or, where there are none, all columns without another meaning, in the order of the
table; columns that are left over must be null in its rows. Without a column of names, each row is every listed event of
which a column of its own has a value.
"""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path, PurePath
from typing import Any

from holdsfor.errors import HoldsforError
from holdsfor.language.description import Input

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}
_USUAL = {
    "name": ("event", "name"),
    "time": ("time", "t", "start"),
    "end": ("end", "t_end"),
    "arrival": ("arrival",),
    "value": ("value",),
    "op": ("op",),
    "valid_from": ("valid_from",),
    "valid_to": ("valid_to",),
}
#: What a mapping can say that the terms of a column are.
TYPES = ("integer", "float", "text")
#: What a table has for itself; all other keys may stand above the tables.
_OF_ONE_TABLE = ("events", "fluents", "facts", "topics", "types", "files", "tables")
#: Sections that list the columns of names.
_LISTS = ("events", "fluents", "facts")
#: Fields that no user gives.
_MADE = ("table", "agreed", "keys")
_LISTED_FACTS = 'linked = ["from", "to"], or berth = { columns = ["vessel", "quay"], key = ["vessel"] }'


@dataclass(frozen=True)
class Mapping:
    """See the module. Column names are None where the usual names are to be looked for."""

    name: str | None = None
    event: str | None = None
    time: str | None = None
    end: str | None = None
    arrival: str | None = None
    value: str | None = None
    op: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    tick_unit: str | None = None  # None: as rules and command line say, or s
    zone: str | None = None
    events: AnyMapping[str, Sequence[str]] = field(default_factory=dict)
    fluents: AnyMapping[str, Sequence[str]] = field(default_factory=dict)
    facts: AnyMapping[str, Sequence[str]] = field(default_factory=dict)
    keys: AnyMapping[str, Sequence[str]] = field(default_factory=dict)  # columns by which rows of facts are replaced
    topics: AnyMapping[str, Any] = field(default_factory=dict)  # see `holdsfor.io.mqtt.topics`
    types: AnyMapping[str, str] = field(default_factory=dict)
    files: str | None = None  # which files have this table, where there are several tables
    tables: AnyMapping[str, Mapping] = field(default_factory=dict)
    table: str = ""  # its name as one of several: that of its event, too, if nothing says more
    agreed: AnyMapping[str, str] = field(default_factory=dict)  # types that no user gives, see `column_types`

    def __post_init__(self) -> None:
        if self.tick_unit is not None and self.tick_unit not in UNITS:
            raise HoldsforError(f"tick_unit = {self.tick_unit!r} is not known. Write one of {', '.join(UNITS)}.")
        if self.zone is not None:
            check_zone(self.zone)
        for one, other in combinations(_LISTS, 2):
            if both := sorted(set(getattr(self, one)) & set(getattr(self, other))):
                raise HoldsforError(f"{both[0]} is both in [{one}] and in [{other}]. Keep one.")
        if self.name is not None and self.event is not None:
            raise HoldsforError(f"give name = {self.name!r} (a column) or event = {self.event!r}, not both.")
        for column, kind in self.types.items():
            if kind not in TYPES:
                hint = did_you_mean(kind, TYPES)
                raise HoldsforError(f"[types] {column} = {kind!r} is not known.{hint} Write one of {', '.join(TYPES)}.")
        if self.tables:
            check_tables(self)

    @cached_property
    def arguments(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(columns) for section in _LISTS for name, columns in getattr(self, section).items()}

    @property
    def all_arguments(self) -> dict[str, tuple[str, ...]]:
        """Return the argument columns of all tables."""
        return self.arguments | {name: columns for t in self.tables.values() for name, columns in t.arguments.items()}

    @property
    def changing(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Return the number of arguments of each fact of all tables, and the positions (from 0) of its key."""
        own = {name: (len(columns), self.key_of(name)) for name, columns in self.facts.items()}
        return own | {name: fact for table in self.tables.values() for name, fact in table.changing.items()}

    def key_of(self, name: str) -> tuple[int, ...]:
        """Return the positions of the key of a listed fact, from 0."""
        return tuple(sorted(self.arguments[name].index(column) for column in self.keys.get(name, ())))

    @property
    def date_unit(self) -> str:
        """Return the unit in which dates are counted."""
        return self.tick_unit or "s"

    @property
    def given_unit(self) -> str | None:
        """Return the unit that a user gives; all tables have the same."""
        return next((table.tick_unit for table in self.tables.values()), self.tick_unit)

    def counting_in(self, unit: str) -> Mapping:
        """Return the mapping with dates counted in a unit, unless a user gave another."""
        tables = {name: table.counting_in(unit) for name, table in self.tables.items()}
        return replace(self, tick_unit=self.tick_unit or unit, tables=tables)

    def agreeing(self, types: AnyMapping[str, str]) -> Mapping:
        """Return the mapping with types that the parts of an input agree on."""
        if not types:
            return self
        tables = {name: table.agreeing(types) for name, table in self.tables.items()}
        return replace(self, agreed=types, tables=tables)

    def of_table(self, name: str) -> Mapping:
        """Return the mapping of one of several tables. Without any, all have the same."""
        if not self.tables:
            return replace(self, table=name)
        if name not in self.tables:
            allowed = ", ".join(self.tables)
            hint = did_you_mean(name, list(self.tables))
            raise HoldsforError(f"the mapping has no table {name!r}.{hint} It has [tables] {allowed}.")
        return self.tables[name]

    def of_file(self, path: PurePath) -> Mapping:
        """Return the mapping of the table whose pattern the file fits."""
        if not self.tables:
            return self
        fitting = [name for name, table in self.tables.items() if table.files and path.match(table.files)]
        if len(fitting) == 1:
            return self.tables[fitting[0]]
        patterns = ", ".join(f"{name} ({table.files or 'no pattern'})" for name, table in self.tables.items())
        reason = f"fits {' and '.join(fitting)}" if fitting else "fits no table of the mapping"
        raise HoldsforError(f"{path} {reason}: {patterns}. Each file needs the pattern (files = ...) of one table.")


@dataclass(frozen=True, slots=True)
class Roles:
    """The mapping for one table: which of its columns is which, None where it has none."""

    name: str | None
    event: str | None
    time: str | None  # None: all rows are facts that are valid from the start on
    end: str | None
    arrival: str | None
    value: str | None
    op: str | None
    valid_from: tuple[str, ...]  # columns, the first of which with a value counts
    valid_to: tuple[str, ...]
    others: tuple[str, ...]  # arguments of what is not listed, in order

    @property
    def is_wide(self) -> bool:
        """Return whether a row is all events that are listed."""
        return self.name is None and self.event is None

    @property
    def times(self) -> set[str]:
        """Return the columns with times."""
        return {name for name in (self.time, self.end, self.arrival, *self.valid_from, *self.valid_to) if name}


def as_mapping(settings: Mapping | AnyMapping[str, Any] | str | Path | None) -> Mapping:
    """Make a mapping of whatever a user gives: one, a dict, the path of a TOML file, or nothing."""
    if settings is None:
        return Mapping()
    if isinstance(settings, Mapping):
        return settings
    if isinstance(settings, str | Path):
        return _read_file(Path(settings), _stamp(Path(settings)))
    if not isinstance(settings, AnyMapping):
        raise HoldsforError(
            f"a mapping is a dict or the path of a TOML file, not {type(settings).__name__}. "
            'Write {"time": "ts", "events": {"reading": ["machine", "celsius"]}}.'
        )
    return _read_mapping("the mapping", settings)


@lru_cache(maxsize=16)
def _read_file(path: Path, stamp: tuple[int, int]) -> Mapping:
    """Read a file, again only when its stamp has changed: a session may be told of it with each row."""
    return _read_mapping(str(path), _toml(path))


def _stamp(path: Path) -> tuple[int, int]:
    """Return the time when a file was written, and its length."""
    try:
        status = path.stat()
    except OSError as error:
        raise HoldsforError(f"cannot read the mapping {path}: {error.strerror}.") from error
    return status.st_mtime_ns, status.st_size


def _read_mapping(origin: str, settings: AnyMapping[str, Any]) -> Mapping:
    allowed = [f.name for f in fields(Mapping) if f.name not in _MADE]
    for key, value in settings.items():
        if key not in allowed:
            hint = did_you_mean(key, allowed)
            raise HoldsforError(f"{origin}: unknown key {key!r}.{hint} Known keys: {', '.join(allowed)}.")
        _check_value(origin, key, value)
    above = {key: value for key, value in settings.items() if key not in _OF_ONE_TABLE}
    tables = {
        name: replace(_read_table(f"{origin}, [tables.{name}]", above, table), table=name)
        for name, table in settings.get("tables", {}).items()
    }
    columns, keys = _read_facts(origin, settings.get("facts", {}))
    return Mapping(**{**settings, "tables": tables, "facts": columns, "keys": keys})


def _read_facts(origin: str, section: AnyMapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of each fact, and those of its key where it has one."""
    columns: dict[str, Any] = {}
    keys: dict[str, Any] = {}
    for name, listed in section.items():
        columns[name] = listed
        if not isinstance(listed, AnyMapping):
            continue
        if unknown := sorted(set(listed) - {"columns", "key"}):
            hint = did_you_mean(unknown[0], ("columns", "key"))
            raise HoldsforError(
                f"{origin}: unknown key {unknown[0]!r} of {name} in [facts].{hint} Write {_LISTED_FACTS}."
            )
        columns[name], keys[name] = listed["columns"], listed.get("key", ())
        others = [column for column in keys[name] if column not in columns[name]]
        if others:
            hint = did_you_mean(others[0], columns[name])
            raise HoldsforError(
                f"{origin}: the key of {name} is made of its own columns, and {others[0]!r} is none of them.{hint} "
                f"It has {', '.join(columns[name])}."
            )
    return columns, keys


def _read_table(origin: str, above: AnyMapping[str, Any], settings: Mapping | AnyMapping[str, Any]) -> Mapping:
    """Read one of several tables; above: what all of them have in common."""
    if isinstance(settings, Mapping):
        return settings
    if nested := [key for key in ("tables", "topics") if key in settings]:
        raise HoldsforError(f"{origin}: {nested[0]} stands above the tables, not in one of them.")
    names = {"name", "event"} & set(settings)  # one of the two takes the place of the other
    common = {key: value for key, value in above.items() if not (names and key in ("name", "event"))}
    return _read_mapping(origin, {**common, **settings})


def check_zone(zone: str) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise HoldsforError(f"the zone {zone!r} is not known. Write one such as Europe/Athens, or UTC.") from None
    return zone


def check_tables(mapping: Mapping) -> None:
    """Refuse events listed above all tables, and tables that count time in different ticks."""
    if mapping.arguments:
        name = next(iter(mapping.arguments))
        raise HoldsforError(f"the mapping has tables: list {name} in the one that has it, as in [tables.NAME.events].")
    if len(units := sorted({table.date_unit for table in mapping.tables.values()})) > 1:
        raise HoldsforError(f"tables have different units ({', '.join(units)}). Give one tick_unit, above all tables.")


def roles(mapping: Mapping, columns: Sequence[str], inputs: Sequence[Input], source: str) -> Roles:
    """Find the columns of a table; one that is named and not there is an error."""
    for name, arguments in mapping.arguments.items():
        for column in arguments:
            _require(column, columns, f"an argument of {name}", source)
    listed = {column for arguments in mapping.arguments.values() for column in arguments}
    chosen = {role: _find(role, getattr(mapping, role), columns, listed, source) for role in _USUAL}
    event = mapping.event
    if event is not None:
        chosen["name"] = None
    elif chosen["name"] is None:
        event = _only_event(mapping, columns, source)
    durative = {each.signature.name for each in inputs if each.kind != "event"}
    changing = {*mapping.facts, *(each.signature.name for each in inputs if each.key is not None)}
    if event is not None and event not in durative:  # then a column called value or end is an argument like others
        chosen |= {"end": mapping.end, "value": mapping.value}
    if not changing or (event is not None and event not in changing):
        chosen |= {"valid_from": mapping.valid_from, "valid_to": mapping.valid_to}
    begins, ends = _either(mapping, chosen, "valid_from", "time"), _either(mapping, chosen, "valid_to", "end")
    is_without_events = event in changing if event is not None else bool(mapping.facts) and not mapping.events
    time = chosen["time"]
    if time is None and not is_without_events:
        raise HoldsforError(f"{source}: no column holds the time (columns: {', '.join(columns)}). Name it: time = ...")
    return Roles(
        chosen["name"],
        event,
        time or (begins or (None,))[0],
        chosen["end"],
        chosen["arrival"],
        chosen["value"],
        chosen["op"],
        begins,
        ends,
        _others(columns, chosen),
    )


def _either(mapping: Mapping, chosen: AnyMapping[str, str | None], of_facts: str, of_all: str) -> tuple[str, ...]:
    """Return the columns with a time of facts: the one that the mapping names, or else the usual ones."""
    named = getattr(mapping, of_facts)
    return (named,) if named else tuple(name for name in (chosen[of_facts], chosen[of_all]) if name)


def _only_event(mapping: Mapping, columns: Sequence[str], source: str) -> str | None:
    """Return the event that each row of a table without names is; None: all that are listed."""
    listed = mapping.arguments
    if len(listed) == 1:
        return next(iter(listed))
    if len(listed) > 1 and all(own_columns(mapping, name) for name in listed):
        return None
    if mapping.table and not listed:
        return mapping.table
    raise HoldsforError(
        f"{source}: no column says which event a row is (columns: {', '.join(columns)}). "
        "Name it in the mapping (name = ...), or write event = ... for a table of one event."
    )


def used_columns(chosen: Roles, mapping: Mapping, inputs: Sequence[Input]) -> set[str]:
    """Return the columns of a table that reading it needs."""
    needed = {chosen.name, chosen.value, chosen.op, *chosen.times}
    read = {i.signature.name for i in inputs if i.read}
    if not read <= set(mapping.arguments):
        needed |= set(chosen.others)
    for columns in mapping.arguments.values():
        needed |= set(columns)
    return {name for name in needed if name is not None}


def own_columns(mapping: Mapping, name: str) -> list[str]:
    """Return the argument columns that no other listed event has."""
    others = {column for other, columns in mapping.arguments.items() if other != name for column in columns}
    return [column for column in mapping.arguments[name] if column not in others]


def _others(columns: Sequence[str], chosen: AnyMapping[str, str | None]) -> tuple[str, ...]:
    numbered = [f"arg{i}" for i in range(1, len(columns) + 1)]
    if numbered[0] in columns:
        return tuple(column for column in numbered if column in columns)
    taken = set(chosen.values())
    return tuple(column for column in columns if column not in taken)


def did_you_mean(word: str, allowed: Sequence[str], likeness: float = 0.5) -> str:
    """Ask for a name that is close; two letters in the wrong order are the likeliest slip."""
    close = get_close_matches(word, allowed, 3, likeness) or [k for k in allowed if k.lower() == word.lower()]
    swapped = [name for name in close if sorted(name) == sorted(word)]
    return f" Did you mean {(swapped or close)[0]!r}?" if close else ""


def _find(role: str, named: str | None, columns: Sequence[str], listed: set[str], source: str) -> str | None:
    if named is not None:
        _require(named, columns, f"the {role}", source)
        return named
    return next((column for column in _USUAL[role] if column in columns and column not in listed), None)


def _require(column: str, columns: Sequence[str], use: str, source: str) -> None:
    if column not in columns:
        hint = did_you_mean(column, columns)
        raise HoldsforError(f"{source}: no such column for {use}: {column!r}.{hint} It has {', '.join(columns)}.")


def _check_value(origin: str, key: str, value: object) -> None:
    if key == "facts":
        _check_facts(origin, value)
    elif key in ("events", "fluents"):
        right = isinstance(value, AnyMapping) and all(map(_is_list_of_columns, value.values()))
        if not right:
            raise HoldsforError(f'{origin}: [{key}] lists columns by name, such as velocity = ["vessel", "speed"].')
    elif key == "topics":
        if not isinstance(value, AnyMapping):
            raise HoldsforError(f'{origin}: [topics] lists topics, such as "ais/{{vessel}}/speed" = "velocity".')
    elif key == "types":
        if not isinstance(value, AnyMapping) or not all(isinstance(kind, str) for kind in value.values()):
            raise HoldsforError(f'{origin}: [types] lists types by column, such as vessel = "text".')
    elif key == "tables":
        if not isinstance(value, AnyMapping) or not all(isinstance(t, AnyMapping | Mapping) for t in value.values()):
            raise HoldsforError(f"{origin}: tables are sections, [tables.NAME], each with the keys of a mapping.")
    elif not isinstance(value, str):
        raise HoldsforError(f"{origin}: {key} is the name of a column, in quotes; found {value!r}.")


def _check_facts(origin: str, section: object) -> None:
    """Refuse a section [facts] that lists no columns."""
    facts = section if isinstance(section, AnyMapping) else {"": None}
    for name, listed in facts.items():
        if name in ("valid_from", "valid_to", "op", "time", "end", "arrival") and isinstance(listed, str):
            raise HoldsforError(f"{origin}: {name} stands above [facts], among the columns of the table.")
        parts = [listed.get("columns"), listed.get("key", [])] if isinstance(listed, AnyMapping) else [listed]
        if not all(map(_is_list_of_columns, parts)):
            raise HoldsforError(f"{origin}: [facts] lists columns by name, such as {_LISTED_FACTS}.")


def _is_list_of_columns(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return read_toml(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise HoldsforError(f"cannot read the mapping {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise HoldsforError(f"{path} is not a TOML file: {error}.") from error


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Read a mapping that is written in TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HoldsforError(f"{source} is not a TOML file: {error}.") from error
