"""How long it takes to check and plan large descriptions, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from holdsfor.language import EventDescription, parse
from holdsfor.plan import plan

BEGIN, END = "initiatedAt(f{0}(V)={1}, T) :- {2}.\n", "terminatedAt(f{0}(V)={1}, T) :- {2}.\n"


def many_rules(fluents: int) -> Iterator[str]:
    """Two rules a fluent, in groups of ten that build on each other."""
    for number in range(fluents):
        below = f", holdsAt(f{number - 1}(V)=true, T)" if number % 10 else ""
        event = f"happensAt(e{number % 97}(V, X), T), X > "
        yield BEGIN.format(number, "true", f"{event}1{below}") + END.format(number, "true", f"{event}2{below}")


def deep_chain(fluents: int) -> Iterator[str]:
    """Each fluent depends on the one before it."""
    yield BEGIN.format(0, "true", "happensAt(e(V), T)")
    for number in range(1, fluents):
        yield BEGIN.format(number, "true", f"happensAt(e(V), T), holdsAt(f{number - 1}(V)=true, T)")


def many_values(fluents: int) -> Iterator[str]:
    """A hundred values each."""
    for number in range(fluents):
        for value in range(100):
            yield BEGIN.format(number, f"v{value}", f"happensAt(e{value}(V), T)")


def measured(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    for write, fluents in ((many_rules, 5_000), (deep_chain, 2_000), (many_values, 50)):
        text = "".join(write(fluents))
        found: list[EventDescription] = []
        checked = measured(lambda text=text, found=found: found.append(parse(text)))  # type: ignore[misc]
        planned = measured(lambda found=found: plan(found[0]))  # type: ignore[misc]
        rules = f"{len(found[0].rules):,} rules over {fluents:,} fluents"
        print(f"{write.__name__}: {rules}: checked in {checked:.1f} s, planned in {planned:.1f} s")


if __name__ == "__main__":
    main()
