"""Reasons of statically determined fluents: the operands of interval expressions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdsfor.plan.definitions import Static
from holdsfor.why.bodies import Steps
from holdsfor.why.derivation import Derivation
from holdsfor.why.replay import Key

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk


def explain_static(fact: Derivation, definition: Static, key: Key, low: int, high: int, walk: Walk) -> Steps:
    """Explain the points low..high-1 of an interval by the rules that give them."""
    yield from ()
    return replace(fact, causes=(walk.lost("interval expressions"),))
