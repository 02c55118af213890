"""See whether the leaves of a derivation, evaluated alone, yield the fact again."""

from __future__ import annotations

from typing import Any

import holdsfor
from holdsfor.why.derivation import Derivation


def recognised(rules: str, rows: list[str], **times: Any) -> holdsfor.Result:
    """Recognise a history of 20 ticks, or as long as it is said to be."""
    events = holdsfor.read_events(rows, format="terms")
    return holdsfor.recognise(holdsfor.parse(rules), events, **{"start": 0, "end": 20, **times})


def holds_again(rules: str, derivation: Derivation, fact: str, at: int, **times: Any) -> bool:
    """Return whether the leaves alone yield the fact at the time."""
    again = holdsfor.recognise(holdsfor.parse(rules), derivation.inputs(), **{"start": 0, "end": 20, **times})
    try:
        return again.why(fact, at=at).kind in ("holds", "happens", "input")
    except holdsfor.HoldsforError:
        return False
