"""Change the rules of a live session at its last query time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.output.changes import changes
from holdsfor.engine.stepping.carried import Carried
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.stepping.settling import everything
from holdsfor.engine.stepping.takeover import Reigning, Takeover, prepare_takeover, rename_input, take_over
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, Changes
from holdsfor.job.live.start.checks import warn_if_unbounded
from holdsfor.job.live.update.rule_update import RuleUpdate, describe_definitions, with_number
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.plan import plan as make_plan
from holdsfor.plan.comparison import compare_rules

if TYPE_CHECKING:
    from holdsfor.local.session import Session


def update_session(session: Session, description: EventDescription) -> RuleUpdate:
    """Let other rules take over at the last query time of a session; if they are refused, nothing has changed."""
    agree_on_tick_unit(description, session.terms.tick_unit)
    with shown_refusals(description.texts.sources):
        unused = frozenset(one.stored_as for one in description.also_input)
        description = description.with_input()
        program = make_program(make_plan(description))
        compared = compare_rules(session.description, description)
        evaluation, log, validity = session.evaluation, session.results.nothing, dict[str, tuple[int | None, bool]]()
        if evaluation is not None:
            reigning = Reigning(
                session.program.plan,
                evaluation.windows,
                evaluation.frontier,
                evaluation.fired,
                session.latest or 0,
                session.terms.report,
            )
            takeover = prepare_takeover(reigning, program, compared.touched, unused)
            program, validity = takeover.program, takeover.validity(reigning.frontier.nothing)
            evaluation, log = _continue(evaluation, takeover, reigning)
    warn_if_unbounded(program.plan)
    session.description, session.program, session.evaluation = description, program, evaluation
    if evaluation is not None and evaluation.fired is not None:
        session.results.add([log], evaluation.fired)
    session.updates += 1
    session.metrics.update(intervals_changed=log.intervals.num_rows, occurrences_changed=log.occurrences.num_rows)
    definitions = describe_definitions(compared, validity)
    return RuleUpdate(session.updates, session.last_query_time, definitions, *with_number(log, session.updates))


def _continue(evaluation: Ongoing, takeover: Takeover, reigning: Reigning) -> tuple[Ongoing, Changes]:
    """Return the evaluation with other rules, and what they change."""
    plan, saved = takeover.program.plan, evaluation.save()
    scope = replace(everything(plan), forgets=True)
    carried = replace(saved, inputs=rename_input(saved.inputs, plan))
    following = Ongoing(
        takeover.program,
        evaluation.windows,
        scope,
        Carried(evaluation.fired),
        rename_input(evaluation.waiting, plan),
        is_incremental=evaluation.is_incremental,
    )
    if evaluation.fired is None:
        return following, Changes(INTERVAL_LOG.empty_table(), OCCURRENCE_LOG.empty_table())
    taken = take_over(takeover, reigning, carried, evaluation.windows, scope)
    following.go_on_from(taken.moment, carried.inputs)
    relations = (*takeover.removed, *scope.relations(plan))
    return following, changes(taken.told, relations, reigning.report)
