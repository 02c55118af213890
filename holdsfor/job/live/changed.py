"""How a message tells what has changed since a stream was begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Under this name a checkpoint has the digests of single definitions and tables of facts.
PIECES = "pieces"
MOST_NAMED = 6


def find_changes(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What a stream was begun with and what it shall go on with, where they differ: `window 40, not window 50`."""
    changes = []
    for name, value in wanted.items():
        if name == "rules" and known.get(name) != value:
            changes.append(_changed_rules(known.get(PIECES) or {}, wanted.get(PIECES) or {}))
        elif name != PIECES and known.get(name) != value:
            changes.append(f"{_setting(name, known.get(name))}, not {_setting(name, value)}")
    return changes


def _setting(name: str, value: Any) -> str:
    return f"no {name}" if value is None else f"{name} {value}"


def _changed_rules(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    changed = [f"{name} changed" for name, piece in after.items() if before.get(name, piece) != piece]
    changed += [f"{name} is new" for name in after if name not in before]
    changed += [f"{name} is gone" for name in before if name not in after]
    more = [f"and {len(changed) - MOST_NAMED} more"] if len(changed) > MOST_NAMED else []
    return f"other rules or facts ({', '.join(changed[:MOST_NAMED] + more) or 'in another order'})"
