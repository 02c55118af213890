"""Let other rules take over on the checkpoint of a stream that does not run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.lease import take_lease
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.input.reading import LineReader
from holdsfor.job.live.start.changed import PIECES
from holdsfor.job.live.start.identity import rules_digest, rules_pieces
from holdsfor.job.live.start.opening import Places
from holdsfor.job.live.state.ledger import IDENTITY, Ledger
from holdsfor.job.live.update.rule_update import RuleUpdate
from holdsfor.job.live.update.rules_in_force import EARLIER, as_in_force, read_description, read_unit
from holdsfor.job.live.update.stream_update import update_stream
from holdsfor.job.routing import router
from holdsfor.job.times import Times
from holdsfor.language.description import EventDescription
from holdsfor.loading import Rules, as_description
from holdsfor.plan import plan


def update(
    checkpoint: str | Path,
    rules: Rules | None = None,
    *,
    old: Rules | None = None,
    only: str | Iterable[str] | None = None,
    take_over: bool = False,
) -> RuleUpdate:
    """Let other rules take over on a stream that does not run, from its last query time on.

    checkpoint: its folder. rules: an event description, or the path of a rule file; without any, those that it had
    before these take over again. Definitions that stay as they are, with all that they depend on, keep their state; the
    others are evaluated again over what is kept. The next start of the stream needs the same rules, and tells receivers
    what the update has changed. Rules that are refused change nothing.
    old: the rules that it has now; needed if the checkpoint has not all of them: facts from tables, or functions.
    only: see `stream`; without it, results have all definitions that are not internal. take_over: see `StreamOptions`.
    """
    state = Ledger(Places.of(checkpoint, None, True).state)
    if not state.store.exists(IDENTITY):
        raise HoldsforError(f"there is no stream in {checkpoint}. Give the folder that --checkpoint names.")
    identity = state.identity()
    places = Places.of(checkpoint, identity.get("tables") or None, True)
    with take_lease(places.root, f"the checkpoint {places.root.shown()}", take_over) as lease:
        ledger = Ledger(places.state, lease.held)
        new = _earlier_rules(ledger, identity) if rules is None else as_description(rules, only)
        before = read_description(identity, places.root.shown()) if old is None else as_description(old)
        stream = Stream(_setting(before, identity, ledger), ledger, places.tables)
        return update_stream(stream, before, new, read_unit(identity))


def _earlier_rules(ledger: Ledger, identity: Mapping[str, Any]) -> EventDescription:
    if EARLIER not in identity:
        raise HoldsforError("the rules of this stream have never changed: there are none to go back to.")
    return read_description(ledger.rules(identity[EARLIER]), "the checkpoint")


def _setting(description: EventDescription, identity: Mapping[str, Any], ledger: Ledger) -> Setting:
    """Return the settings of a stream as far as an update needs them: it reads nothing."""
    description = description.with_input()
    program = make_program(plan(description))
    ledger.check_identity({"rules": rules_digest(program), PIECES: rules_pieces(program)})
    program = as_in_force(program, ledger)
    names = ("window", "step", "start", "end", "tick")
    ways = router(program.plan, identity["buckets"])
    times = Times(*(identity[name] for name in names))
    return Setting(program, ways, description.inputs, LineReader("rtec"), times, identity["report"])
