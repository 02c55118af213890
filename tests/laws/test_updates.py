"""Laws of rules that change while a session runs: from then on it tells what the new rules say of the whole history.

What is said of `valid_from` is taken literally: each definition is compared with the naive evaluation of the new rules
on all rows from the start, for all that lies after it. Where inertia may bring something from before, the two may
differ until the first time at which they agree, and from then on never again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

import holdsfor
from holdsfor.engine.stepping.takeover import with_since
from holdsfor.io.storage.changelog import read_current
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.microbatch import Stream
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.live.state.ledger import Ledger
from holdsfor.job.live.update.rule_update import RuleUpdate
from holdsfor.job.live.update.rules_in_force import SINCE
from holdsfor.job.live.update.stream_update import update_stream
from holdsfor.language import EventDescription
from tests.conformance.compare import compared
from tests.conformance.engines import answer, naive
from tests.conformance.streamed import arrival, cuts, in_steps, lines_table, setting_of, shared_out
from tests.laws.test_programs import SEEDS
from tests.naive.evaluate import Answer
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon, line_format
from tests.naive.updates import random_update

Point = tuple[int, int | None]


@dataclass
class Updated:
    """A session after an update, at the end of the history."""

    update: RuleUpdate
    found: Answer
    expected: Answer
    new: EventDescription
    case: str


def steps_of(program: Program, random: Random) -> Horizon:
    """The horizon of a program, gone through in more steps."""
    horizon = program.horizon
    step = horizon.sample_every * random.randint(1, 6)
    return replace(horizon, step=step, window=step * random.randint(1, 8))


def updated(seed: int, folder: Path | None = None) -> Updated | None:
    """folder: where the session is saved and resumed after each query time from the update on."""
    incremental = seed % 4 != 0
    random, program = Random(f"update {seed}"), random_program(seed)
    drawn = random_update(program.text, random)
    if drawn is None:
        return None
    old, new, texts = drawn
    horizon = steps_of(program, random)
    times = {name: getattr(horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    live = holdsfor.session(old, **times, incremental=incremental)
    query_times = range(horizon.start + horizon.step, horizon.last + 1, horizon.step)
    switch = random.choice(query_times)
    ahead = random.random() < 0.3  # all rows are added before, those of later query times, too
    rows = sorted(program.rows, key=arrival)
    for query_time in query_times:
        due = [row for row in rows if arrival(row) <= query_time or (ahead and query_time >= switch)]
        rows = rows[len(due) :]
        if due:
            live.add(due, format=line_format(due))
        live.advance(query_time)
        if query_time == switch:
            update = live.update(new)
        if query_time >= switch and folder is not None:
            live.save(folder)
            live = holdsfor.resume(new, folder, incremental=incremental)
    case = f"seed = {seed}, switch = {switch}\n{texts}\nrows = {program.rows}\n{horizon}"
    expected = compared(naive(new, program.rows, horizon), horizon)
    found = compared(answer(*live.current()), horizon)
    return Updated(update, found, expected, new, case)


def updated_stream(seed: int, buckets: int, folder: Path) -> Updated | None:
    """A stream whose rules change between two batches; now and then its driver begins anew."""
    random, program = Random(f"update {seed} of a stream"), random_program(seed)
    drawn = random_update(program.text, random)
    if drawn is None:
        return None
    old, new, texts = drawn
    horizon = steps_of(program, random)
    ledger, tables = Ledger(Store(f"{folder}/state", sync=False)), Store(f"{folder}/tables", sync=False)
    stream = Stream(setting_of(old, horizon, buckets, form=line_format(program.rows)), ledger, tables)
    memory = Memory() if random.random() < 0.5 else None
    parts = list(cuts(in_steps(program.rows, horizon, random), random))
    switch = random.randrange(len(parts))
    update = None
    for batch, rows in enumerate(parts):
        stream.run(batch, Alone([lines_table(part) for part in shared_out(rows, random)], memory))
        if batch == switch:
            update = update_stream(stream, old, new)
        if random.random() < 0.3:
            settings = setting_of(old if update is None else new, horizon, buckets, form=line_format(program.rows))
            since = [] if update is None else ledger.rules(1)[SINCE]
            program_then = with_since(settings.program, since)
            stream = Stream(replace(settings, program=program_then), ledger, tables)
            memory = memory and Memory()
    stream.close(Alone([], memory))
    assert update is not None
    case = f"seed = {seed}, {buckets} buckets, switch = {switch}\n{texts}\nrows = {program.rows}\n{horizon}"
    expected = compared(naive(new, program.rows, horizon), horizon)
    return Updated(update, compared(answer(*read_current(tables)), horizon), expected, new, case)


def wrong_after(case: Updated) -> Iterator[str]:
    """Lines on what is not as the new rules have it."""
    definitions = {row["name"]: row for row in case.update.definitions.to_pylist()}
    if case.update.query_time is None:
        definitions = {n: r for n, r in definitions.items() if r["change"] != "removed"}
    keys = case.expected.intervals.keys() | case.found.intervals.keys()
    if any("'" in text for _, args, _ in keys for text in args):
        return  # results have no quotes, so that 12 and '12' look the same
    for fluent, args in sorted({(fluent, args) for fluent, args, _ in keys}):
        row = definitions.get(f"{fluent}/{len(args)}")
        if row is None or row["change"] == "removed":
            yield from ended(case, row, fluent, args)  # which may be none at all, if nothing was told before
            continue
        if row["change"] == "added" and f"{fluent}|" in case.case.partition("rows = ")[2]:
            continue  # rows of it came as input when no rule knew its name
        both = [points_after(each, fluent, args, row["valid_from"]) for each in (case.expected, case.found)]
        if both[0] != both[1] and (row["is_whole"] or (is_alone(case, row) and differ_again(*both))):
            yield f"{fluent}{args}: expected {both[0]}, found {both[1]} of {row}"
    for name, args, time in sorted(case.expected.occurrences ^ case.found.occurrences):
        row = definitions.get(f"{name}/{len(args)}")
        if row and row["is_whole"] and row["change"] != "removed" and time > (row["valid_from"] or -1):
            yield f"{name}{args} at {time} is on one side only, of {row}"


def ended(case: Updated, row: dict | None, fluent: str, args: tuple[str, ...]) -> Iterator[str]:  # type: ignore[type-arg]
    """What is gone holds no longer than until the update."""
    query_time = case.update.query_time
    for (name, its_args, value), times in case.found.intervals.items():
        if (name, its_args) == (fluent, args) and any(end is None or end > query_time + 1 for _, end in times):
            yield f"{fluent}{args}={value} goes on: {times} of {row}"


def points_after(found: Answer, fluent: str, args: tuple[str, ...], since: int | None) -> dict[str, list[Point]]:
    first = -(1 << 60) if since is None else since + 1
    clipped: dict[str, list[Point]] = {}
    for (name, its_args, value), times in found.intervals.items():
        if (name, its_args) == (fluent, args):
            left = [(max(start, first), end) for start, end in times if end is None or end > first]
            if left:
                clipped[value] = left
    return clipped


def differ_again(expected: dict[str, list[Point]], found: dict[str, list[Point]]) -> bool:
    """Whether there is a time at which they agree before one at which they do not."""
    edges = sorted(
        {
            t
            for each in (expected, found)
            for times in each.values()
            for t in (*times[0], *[u for pair in times for u in pair])
            if t is not None
        }
    )
    agreed = False
    for time in edges:
        same = values_at(expected, time) == values_at(found, time)
        if agreed and not same:
            return True
        agreed = agreed or same
    return False


def values_at(times: dict[str, list[Point]], time: int) -> set[str]:
    return {v for v, each in times.items() if any(s <= time and (e is None or time < e) for s, e in each)}


def is_alone(case: Updated, row: dict) -> bool:  # type: ignore[type-arg]
    """Whether a fluent has inertia, no deadlines, and reads nothing that may differ itself."""
    name = row["name"].partition("/")[0]
    text = str(case.new)
    unsure = {r["name"].partition("/")[0] for r in case.update.definitions.to_pylist() if not r["is_whole"]} - {name}
    mine = [line for line in text.splitlines() if line.startswith(("initiatedAt(", "terminatedAt("))]
    mine = [line for line in mine if line.partition("(")[2].startswith((f"{name}(", f"{name}="))]
    return bool(mine) and f"fi({name}" not in text and not any(f"{other}(" in line for other in unsure for line in mine)


@pytest.mark.parametrize("seed", SEEDS[::6])
def test_an_update_of_a_session_is_as_if_the_new_rules_had_been_there(seed: int, tmp_path: Path) -> None:
    case = updated(seed, tmp_path if seed % 3 == 0 else None)
    lines = [] if case is None else list(wrong_after(case))
    if lines:
        pytest.fail("\n".join([*lines, case.case]), pytrace=False)


@pytest.mark.parametrize("seed", SEEDS[1::6])
@pytest.mark.parametrize("buckets", [1, 2, 8])
def test_an_update_of_a_stream_is_as_if_the_new_rules_had_been_there(seed: int, buckets: int, tmp_path: Path) -> None:
    case = updated_stream(seed, buckets, tmp_path)
    lines = [] if case is None else list(wrong_after(case))
    if lines:
        pytest.fail("\n".join([*lines, case.case]), pytrace=False)


@pytest.mark.slow
def test_updates_are_of_all_kinds() -> None:
    """The law says something of definitions that begin in the middle of the history, whole and not."""
    kinds: Counter[tuple[str, bool, bool]] = Counter()
    for seed in range(300):
        if (case := updated(seed)) is not None:
            assert not list(wrong_after(case)), case.case
            rows = case.update.definitions.to_pylist()
            kinds.update((row["change"], row["valid_from"] is not None, row["is_whole"]) for row in rows)
    for change in ("changed", "affected"):
        assert min(kinds[change, True, True], kinds[change, True, False], kinds[change, False, True]) > 5
