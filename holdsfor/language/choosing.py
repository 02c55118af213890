"""Choose the definitions that results have: `only=`, `--only`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Signature


def choose_results(description: EventDescription, only: str | Iterable[str] | None) -> EventDescription:
    """Keep all but the named definitions out of results. only: `near`, or `near/2`; None: all are kept.

    A name counts also where the rules say `internal`.
    """
    if only is None:
        return description
    names = [only] if isinstance(only, str) else list(only)
    if not names:
        raise HoldsforError("only names no definition: leave it out to have them all.")
    defined = sorted(
        each for each in description.defined.all if each.domain_behind(description.defined.unreported) is None
    )
    chosen = {owner for name in names for owner in _find(name, defined)}
    others = {(owner, None) for owner in defined if owner not in chosen}
    unreported = description.defined.unreported - {(owner, None) for owner in chosen} | others
    return replace(description, defined=replace(description.defined, unreported=unreported))


def _find(name: str, defined: list[Signature]) -> Iterator[Signature]:
    matches = [owner for owner in defined if name in (owner.name, str(owner))]
    if not matches:
        names = sorted({owner.name for owner in defined})
        close = get_close_matches(name.partition("/")[0], names, 1, 0.6)
        arities = " or ".join(str(owner) for owner in defined if owner.name in close)
        hint = f"Did you mean {arities}?" if arities else f"Rules define {', '.join(names) or 'nothing'}."
        raise HoldsforError(f"only: no rule defines {name!r}. {hint}")
    yield from matches
