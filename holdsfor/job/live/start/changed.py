"""How a message tells what has changed since a stream was begun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Under this name a checkpoint has the digests of single definitions and tables of facts.
PIECES = "pieces"
#: Under this name the definitions that are kept out of results; an earlier version kept out none.
INTERNAL = "internal"
#: All that is about rules.
RULES = ("rules", PIECES, INTERNAL)
MOST_NAMED = 6


def find_changes(stored: Mapping[str, Any], current: Mapping[str, Any]) -> list[str]:
    """Say where what a stream was begun with and what it shall go on with differ: `window 40, not window 50`."""
    changes = []
    for name, value in current.items():
        if name == "rules" and stored.get(name) != value:
            changes.append(_changed_rules(stored.get(PIECES) or {}, current.get(PIECES) or {}))
        elif name == INTERNAL:
            changes += _changed_results(stored.get(INTERNAL) or [], value)
        elif name != PIECES and stored.get(name) != value:
            changes.append(f"{_setting(name, stored.get(name))}, not {_setting(name, value)}")
    return changes


def _changed_results(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    hidden, shown = sorted({*after} - {*before}), sorted({*before} - {*after})
    if hidden:
        yield f"results of {_listed(hidden)}, which are kept out now"
    if shown:
        yield f"no results of {_listed(shown)}, which are asked for now"


def _listed(names: Sequence[str]) -> str:
    more = [f"and {len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])


def _setting(name: str, value: Any) -> str:
    name = "sample_every" if name == "tick" else name  # as users write it
    return f"no {name}" if value is None else f"{name} {value}"


def _changed_rules(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    changed = [f"{name} changed" for name, piece in after.items() if before.get(name, piece) != piece]
    changed += [f"{name} is new" for name in after if name not in before]
    changed += [f"{name} is gone" for name in before if name not in after]
    return f"other rules or facts ({_listed(changed) or 'in another order'})"
