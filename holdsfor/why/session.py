"""Explanations in a live session: from the input that it keeps, in the world of its last query time.

Nothing is evaluated again. What was settled before the input that a session still keeps is said to be so.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.duration import TimePoint
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import standing
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.language.description import EventDescription
from holdsfor.plan.compiler.compile import compiled
from holdsfor.why.derivation import Derivation
from holdsfor.why.replay import Replay
from holdsfor.why.request import answer, read_request
from holdsfor.why.walk import Walk


def explain_live(
    description: EventDescription, evaluation: Ongoing, world: World, fact: str, at: TimePoint, unit: str
) -> Derivation:
    """Explain a fact as the last query time of a session knows it."""
    windows = replace(evaluation.windows, end=world.now)
    request = read_request(fact, at, windows, unit)
    blocks = tuple(standing(block, windows) for block in evaluation.kept_inputs)
    cuts = {relation: cut - world.axis.origin for relation, cut in evaluation.frontier.cuts.items()}
    replay = Replay(make_program(compiled(description)), world, blocks, windows, (), description, cuts)
    return answer(request, Walk(replay))
