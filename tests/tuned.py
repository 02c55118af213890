"""Sessions that evaluate by other thresholds than users' do, so that rare ways are taken."""

from __future__ import annotations

from dataclasses import replace

import holdsfor
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.tuning import Tuning


def tuned(live: holdsfor.Session, tuning: Tuning) -> holdsfor.Session:
    """Set the thresholds of a session that has no query time behind it, or was just resumed."""
    live.program = replace(live.program, tuning=tuning)
    old = live.evaluation
    if old is not None:
        state = old.windows, old.scope, old.save(), old.waiting
        live.evaluation = Ongoing(live.program, *state, is_incremental=old.is_incremental)
    return live
