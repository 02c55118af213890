"""Keep the rules of a stream in its checkpoint, as text, so that others can take over without them being at hand.

rules/0000001.json    rules, with their digests, and since when each definition is there; a commit names the ones it has
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from holdsfor.duration import TickUnit, check_unit
from holdsfor.engine.definitions.evaluate import Program, make_program
from holdsfor.engine.stepping.takeover import list_since, with_since
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.start.changed import INTERNAL
from holdsfor.job.live.start.identity import identify_rules, rules_digest
from holdsfor.job.live.state.ledger import IDENTITY, Ledger
from holdsfor.language.choosing import choose_results
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError
from holdsfor.loading import parse_rules
from holdsfor.plan import plan
from holdsfor.plan.reach import bounded

#: Under these names a record has what rules are made of, and since when.
WRITTEN, SINCE, EARLIER = "written", "since", "earlier"


def record_rules(description: EventDescription, program: Program, unit: TickUnit) -> dict[str, Any]:
    """Make a record of rules, which tells later what they were."""
    written = write_description(description, unit)
    return {**identify_rules(program), WRITTEN: written, SINCE: list_since(program.plan)}


def write_description(description: EventDescription, unit: TickUnit) -> dict[str, Any]:
    """Write rules as text, with what was said of them elsewhere. Facts from tables and functions are no part of it."""
    hidden = {owner for owner, value in description.defined.unreported if value is None}
    return {
        "text": str(description),
        "tick_unit": unit,
        "bounds": {str(signature): ticks for signature, ticks in description.bounds.items()},
        "only": sorted(str(each) for each in description.defined.all - hidden),
    }


def read_description(record: Mapping[str, Any], place: str) -> EventDescription:
    """Read rules of a record; refuse if their text alone does not give them."""
    written = record.get(WRITTEN)
    with suppress(DescriptionError):  # of the text alone
        for chosen in [] if written is None else _readings(written):
            identity = identify_rules(make_program(plan(chosen.with_input())))
            if all(identity[name] == record[name] for name in ("rules", INTERNAL)):
                return chosen
    raise HoldsforError(
        f"{place} has not all that its rules need: an earlier Holdsfor began it, or it has facts from tables, or "
        "functions. Give the rules that it has now, too: --old RULES (in Python old=...)."
    )


def _readings(written: Mapping[str, Any]) -> Iterator[EventDescription]:
    """Yield what a text may stand for: all results, or those that were asked for."""
    description = parse_rules(written["text"])
    bounds = {str(signature) for signature in description.bounds}
    missing = {name: ticks for name, ticks in written["bounds"].items() if name not in bounds}
    description = bounded(description, missing) if missing else description
    yield description
    if written["only"]:
        yield choose_results(description, written["only"])


def read_unit(record: Mapping[str, Any]) -> TickUnit:
    """Read how long a tick is; a second where an earlier Holdsfor did not say."""
    written = record.get(WRITTEN) or {}
    return cast(TickUnit, check_unit(written.get("tick_unit", "s")))


def as_in_force(program: Program, ledger: Ledger) -> Program:
    """Return the rules of a stream as they came to it, perhaps while it ran."""
    record = ledger.identity()
    return with_since(program, record.get(SINCE, ())) if record["rules"] == rules_digest(program) else program


def last_rules(checkpoint: str | Path) -> EventDescription | None:
    """Read the rules that a stream had last; None if it has not begun."""
    ledger = Ledger(Store(f"{checkpoint}/holdsfor"))
    if not ledger.store.exists(IDENTITY):
        return None
    return read_description(ledger.identity(), str(checkpoint))


def has_rules(program: Program, description: EventDescription) -> bool:
    """Whether a program is that of these rules."""
    return identify_rules(program) == identify_rules(make_program(plan(description.with_input())))
