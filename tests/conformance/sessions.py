"""A live session on a stream: added in random parts, advanced by random steps, saved and resumed in between."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Sequence
from random import Random

import pyarrow as pa

import holdsfor
from holdsfor.engine.output.changes import Report
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.storage.fold import Changes
from holdsfor.language import EventDescription
from tests.conformance.streamed import arrival, cuts, in_steps
from tests.naive.rows import Horizon, line_format
from tests.tuned import tuned


def begin(
    description: EventDescription, horizon: Horizon, report: Report = "eager", tuning: Tuning = DEFAULT
) -> holdsfor.Session:
    times = {name: getattr(horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    return tuned(holdsfor.session(description, **times, report=report), tuning)


def recognise(
    description: EventDescription,
    lines: Sequence[str],
    horizon: Horizon,
    report: Report = "eager",
    seed: int | None = None,
    watch: Callable[[holdsfor.Session, Changes], None] = lambda live, changes: None,
    tuning: Tuning = DEFAULT,
) -> tuple[pa.Table, pa.Table]:
    """The current intervals and occurrences at the end. watch: is called after each advance.

    Each row is added before the query time that sees it first, often long before.
    """
    random = Random(zlib.crc32("\n".join(lines).encode()) if seed is None else seed)
    live = begin(description, horizon, report, tuning)
    ordered = in_steps(lines, horizon, random)
    added = 0
    with tempfile.TemporaryDirectory() as folder:
        for part in cuts(ordered, random):
            if part:
                live.add(list(part), format=line_format(lines))
            added += len(part)
            left = [horizon.first_query(arrival(line)) for line in ordered[added:]]
            until = min(left, default=horizon.last + 1) - 1
            watch(live, live.advance(random.randint(min(horizon.start, until), until)))
            if random.random() < 0.3:
                live.save(folder)
                live = tuned(holdsfor.resume(description, folder), tuning)
        watch(live, live.advance(horizon.last + random.randint(0, 3) * horizon.step))
    return live.current()
