"""Let other rules take over on a stream: one commit, after which every bucket has a new base.

It is done between two batches, by one process: what all buckets carry is brought together, the definitions that change
are evaluated over what is kept, and the state is shared out anew. A kill before the commit leaves files that nothing
names; one after it leaves changes that the next start tells.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from holdsfor.duration import TickUnit
from holdsfor.engine.definitions.evaluate import Program, make_program
from holdsfor.engine.output.changes import changes
from holdsfor.engine.stepping.carried import Carried, carried_from
from holdsfor.engine.stepping.frontier import find_frontier
from holdsfor.engine.stepping.settling import everything
from holdsfor.engine.stepping.takeover import Reigning, prepare_takeover, rename_input, take_over
from holdsfor.io.storage.changelog import changes_name, occurrence_changes_name
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, Changes
from holdsfor.io.storage.store import Written
from holdsfor.job.live.batch.batch_decision import new_mark
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.start.checks import warn_if_unbounded
from holdsfor.job.live.state.bucket import BucketPlace
from holdsfor.job.live.state.ledger import Base, Commit, Logged, StateFiles
from holdsfor.job.live.state.partial_matches import read_carried
from holdsfor.job.live.update.rule_update import RuleUpdate, describe_definitions, with_number
from holdsfor.job.live.update.rules_in_force import EARLIER, record_rules
from holdsfor.job.live.update.sharing_out import distinct, share_out
from holdsfor.job.routing import router
from holdsfor.job.tasks import Job
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.plan import plan
from holdsfor.plan.comparison import compare_rules


@dataclass(frozen=True, slots=True)
class _Taken:
    """Outcome of an update. carried: the state by the new rules; validity: see `Takeover`."""

    program: Program
    carried: Carried
    log: Changes
    validity: dict[str, tuple[int | None, bool]]


def update_stream(stream: Stream, old: EventDescription, new: EventDescription, unit: TickUnit = "s") -> RuleUpdate:
    """Let rules take over after the last batch. What is refused changes nothing. old: the rules until now."""
    started = time.perf_counter()
    agree_on_tick_unit(new, unit)
    with shown_refusals(new.texts.sources):
        unused = frozenset(one.stored_as for one in new.also_input)
        description = new.with_input()
        program = make_program(plan(description))
    before = stream.last() or Commit(-1)
    compared = compare_rules(old.with_input(), description)
    setting = stream.setting
    job = Job(setting.program, setting.times.windows(before.start or 0), setting.router)
    with shown_refusals(new.texts.sources):
        taken = _take_over(job, setting, before, stream, program, compared.touched, unused)
    warn_if_unbounded(taken.program.plan)
    ways = router(taken.program.plan, setting.router.buckets)
    number = before.rules + 1
    commit = _write(stream, before, Job(taken.program, job.windows, ways), taken, number, started)
    record = record_rules(new, taken.program, unit) | {EARLIER: before.rules, "query_time": before.fired}
    stream.ledger.write_rules(number, record)
    stream.continue_with(replace(setting, program=taken.program, router=ways, inputs=description.inputs), commit)
    definitions = describe_definitions(compared, taken.validity)
    return RuleUpdate(number, before.fired, definitions, *with_number(taken.log, number))


def _take_over(
    job: Job,
    setting: Setting,
    before: Commit,
    stream: Stream,
    program: Program,
    touched: frozenset[str],
    unused: frozenset[Signature],
) -> _Taken:
    windows, fired = job.windows, before.fired
    carried = read_carried(job, before, stream.ledger.store) if before.start is not None else Carried(None)
    carried = replace(carried, inputs=rename_input(distinct(carried.inputs), program.plan))
    frontier = find_frontier(job.program.plan, windows, fired)
    latest = max([time for time in (before.rows.latest, before.rows.watermark, fired) if time is not None], default=0)
    reigning = Reigning(job.program.plan, windows, frontier, fired, latest, setting.report)
    takeover = prepare_takeover(reigning, program, touched, unused)
    program, validity = takeover.program, takeover.validity(frontier.nothing)
    if fired is None:
        log = Changes(INTERVAL_LOG.empty_table(), OCCURRENCE_LOG.empty_table())
        return _Taken(program, replace(carried, known=(), running=()), log, validity)
    scope = replace(everything(program.plan), forgets=True)
    taken = take_over(takeover, reigning, carried, windows, scope)
    relations = (*takeover.removed, *scope.relations(program.plan))
    log = changes(taken.told, relations, setting.report)
    moment = taken.moment
    after = carried_from(fired, moment.state.frontier, moment.now, program, scope, carried.inputs)
    return _Taken(program, after, log, validity)


def _write(stream: Stream, before: Commit, job: Job, taken: _Taken, number: int, started: float) -> Commit:
    """Write state and changes, and return the commit that will make them count."""
    batch, ledger = before.batch + 1, stream.ledger
    files: list[Written] = []
    if before.start is not None:
        for (stage, bucket), held in share_out(taken.carried, job):
            place = BucketPlace(job, stage, bucket, ledger.store, None)
            with ledger.held():
                files.append(ledger.store.write(place.base_name(batch), held.pack()))
    names = (changes_name(batch, "stage0-0"), occurrence_changes_name(batch, "stage0-0"))
    logs = zip(names, with_number(taken.log, number), strict=True)
    tables = tuple(stream.tables.write_table(name, table) for name, table in logs if table.num_rows)
    base = Base(batch, tuple(files))
    # There is no base to go back to: the log until then is that of other rules.
    waiting = (Logged(batch, base.files, range(0), job.windows.end, new_mark()),) if before.state.unseen else ()
    return replace(
        before,
        batch=batch,
        state=StateFiles((base, base), waiting) if files else before.state,
        files=tables,
        counts={
            "intervals_changed": taken.log.intervals.num_rows,
            "occurrences_changed": taken.log.occurrences.num_rows,
            "seconds": round(time.perf_counter() - started, 4),
        },
        closed=False,
        written=time.time(),
        rules=number,
    )
