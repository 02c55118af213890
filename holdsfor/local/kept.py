"""Open what a saved session, or the checkpoint of a stream, still knows of its history, for questions about it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.duration import TickUnit
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.store import Store
from holdsfor.job.live.state.partial_matches import read_evaluation
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.local.saving import RECORD
from holdsfor.local.session import resume
from holdsfor.plan import plan

if TYPE_CHECKING:
    from holdsfor.why.session import KeptHistory


def open_kept(description: EventDescription, checkpoint: str | Path, tick_unit: TickUnit | None = None) -> KeptHistory:
    """Open a folder that `Session.save` wrote, or the checkpoint of a stream, which may go on meanwhile."""
    from holdsfor.why.session import KeptHistory

    if Store(checkpoint).exists(RECORD):
        return resume(description, checkpoint).kept_history()
    with shown_refusals(description.texts.sources):
        description = description.with_input()
        evaluation = read_evaluation(make_program(plan(description)), checkpoint)
    if evaluation is None:
        raise HoldsforError(f"there was no query time yet in {Store(checkpoint).shown()}: no row has come.")
    return KeptHistory(description, evaluation, agree_on_tick_unit(description, tick_unit))
