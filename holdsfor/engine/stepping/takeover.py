"""Other rules that take over at a query time: what stays as it was, and what is evaluated again.

A definition is unchanged if its rules are, and all that it depends on is: it keeps its state. What was concluded of the
others up to their own cut stays as earlier rules had it, and from there on they are evaluated over what is kept. The
cut lies where all that they look at is known: from there on they conclude what they would have concluded from the
start. Only what inertia brings from before is not known: until a rule concludes something about a grounding, that stays
as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from holdsfor.engine.data.axis import AxisFull
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.arrived import Arrived, visible_input
from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.changes import Report
from holdsfor.engine.stepping.carried import Carried, dues, lay_out, put_known, put_running
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.engine.stepping.query_times import QueryMoment, add_input
from holdsfor.engine.stepping.settling import Scope, State, Views, everything, settle
from holdsfor.io.events import Block
from holdsfor.language.description import AS_INPUT, Signature
from holdsfor.plan.compiler.also_input import DERIVED
from holdsfor.plan.definitions import Definition, Due, Group
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import facts_used
from holdsfor.plan.whole_plan import Look, Plan, Since


@dataclass(frozen=True, slots=True)
class Reigning:
    """Rules and state that others take over from.

    frontier: of the last query time, `fired`. latest: the last time of any row that has come, whoever reads it.
    """

    plan: Plan
    windows: Windows
    frontier: Frontier
    fired: int | None
    latest: int
    report: Report


@dataclass(frozen=True, slots=True)
class Takeover:
    """The rules that take over. kept: the numbers of the definitions that keep their state.

    told_from: for each relation the time up to which what has been told of it stays. removed: relations that are gone.
    """

    program: Program
    kept: frozenset[int]
    told_from: Mapping[Relation, int]
    removed: tuple[Relation, ...]

    def validity(self, nothing: int) -> dict[str, tuple[int | None, bool]]:
        """Return for each definition that is evaluated again from when on it is valid, and whether for all groundings.

        nothing: the time before the history; None: valid from its start on.
        """
        latest: dict[str, tuple[int, bool]] = {}
        plan = self.program.plan
        for number, (definition, look) in enumerate(zip(plan.definitions, plan.looks, strict=True)):
            if number in self.kept or look.since is None:
                continue
            replaced_from = max(self.told_from.get(relation, nothing) for relation in definition.defines)
            for name in {str(relation.definition) for relation in definition.defines}:
                time, is_whole = latest.get(name, (nothing, True))
                valid_from = max(look.since.valid_from, replaced_from)
                latest[name] = max(time, valid_from), is_whole and look.since.is_whole
        return {name: (None if time <= nothing else time, is_whole) for name, (time, is_whole) in latest.items()}


# ---------------------------------------------------------------- what stays, and since when the rest is valid


def prepare_takeover(
    reigning: Reigning, program: Program, changed: Collection[str], unused: Collection[Signature]
) -> Takeover:
    """Find what stays as it was. changed: definitions and predicates that change, by name and arity.

    unused: inputs of which no row has come, though nobody would have read it.
    """
    finder = _SinceFinder(reigning, program.plan, changed, unused)
    looks = tuple(finder.look_of(number) for number in range(len(program.plan.definitions)))
    plan = replace(program.plan, looks=looks)
    defined = {relation for definition in plan.definitions for relation in definition.defines}
    removed = tuple(relation for relation in reigning.frontier.cuts if relation not in defined)
    gone = {relation: finder.end_of(relation) for relation in removed}
    kept = frozenset(finder.kept)
    return Takeover(replace(program, plan=plan), kept, finder.told_from | gone, removed)


class _SinceFinder:
    """Goes through the definitions of new rules, in their order, and finds since when each is valid."""

    def __init__(self, reigning: Reigning, new: Plan, changed: Collection[str], unused: Collection[Signature]) -> None:
        self.reigning, self.new, self.changed, self.unused = reigning, new, frozenset(changed), unused
        self.nothing = reigning.frontier.nothing
        self.kept: set[int] = set()
        self.told_from: dict[Relation, int] = {}
        self._before = {each.defines: number for number, each in enumerate(reigning.plan.definitions)}
        self._valid: dict[Relation, tuple[int, bool]] = {}  # by relation: since when, and of all groundings
        self._changed: set[Relation] = set()
        self._inputs = {
            relation: (source.input.signature, source.input.kind == "event")
            for source in new.sources
            for relation in source.relations
        }

    def look_of(self, number: int) -> Look:
        definition, look = self.new.definitions[number], self.new.looks[number]
        before = self._find_unchanged(definition, look)
        if before is not None:
            self.kept.add(number)
            self._note_kept(definition, before.since)
            return replace(look, since=before.since)
        since = self._find_since(definition, look)
        frontier = self.reigning.frontier
        self._changed.update(definition.defines)
        for relation in definition.defines:
            self._valid[relation] = since.valid_from, since.is_whole
            forgotten = frontier.horizon(relation) if relation in frontier.cuts else self.nothing
            self.told_from[relation] = max(since.cut, forgotten)
        return replace(look, since=since)

    def end_of(self, relation: Relation) -> int:
        """Return when a relation ends that is gone: a definition, or a value of one that has other values now."""
        others = [time for other, time in self.told_from.items() if other.definition == relation.definition]
        if others:
            return max(others)
        frontier, fired = self.reigning.frontier, self.reigning.fired
        return frontier.cuts[relation] if self.reigning.report != "eager" or fired is None else fired

    def _find_unchanged(self, definition: Definition, look: Look) -> Look | None:
        """Return how a definition looked before, if it is the same, and all that it depends on."""
        own = definition.defines
        number = self._before.get(own)
        if number is None or not self._changed.isdisjoint(look.relations):
            return None
        before = self.reigning.plan.looks[number]
        if any(relation.is_part for relation in own):  # its name does not say what it is
            same = definition == self.reigning.plan.definitions[number]
            names = {str(signature) for signature in facts_used([definition], ())}
        else:
            same, names = before.reach == look.reach and set(before.relations) == set(look.relations), set()
        names |= {str(relation.definition).replace(f" {DERIVED}", "") for relation in own}
        return before if same and self.changed.isdisjoint(names) else None

    def _note_kept(self, definition: Definition, since: Since | None) -> None:
        for relation in definition.defines:
            known_from = self.reigning.frontier.horizon(relation)
            if since is not None:
                self._valid[relation] = max(known_from, since.valid_from), since.is_whole
            else:
                self._valid[relation] = known_from, True

    def _find_since(self, definition: Definition, look: Look) -> Since:
        reads = [self._known_from(each) for each in look.relations if each not in definition.defines]
        known_from = max([self.nothing, *(time for time, _ in reads)])
        is_whole = all(whole for _, whole in reads)
        if known_from > self.nothing:
            is_whole = is_whole and look.reach.back is not None and not definition.simple_fluents
            known_from += (look.reach.back or 0) + look.reach.joined * self.reigning.windows.tick
        valid_from = self._before_tick(known_from, 1)
        return Since(self._cut(definition, valid_from), valid_from, is_whole)

    def _known_from(self, relation: Relation) -> tuple[int, bool]:
        """Return after what time all of a relation is known, and whether of all groundings."""
        if relation in self._valid:
            return self._valid[relation]
        if relation not in self._inputs:  # nothing defines it
            return self.nothing, True
        signature, is_event = self._inputs[relation]
        horizons = self.reigning.frontier.inputs
        for each in (signature, other_name(signature)):
            if (each, is_event) in horizons:
                return horizons[each, is_event], True
        return (self.nothing if signature in self.unused else self.reigning.latest), True

    def _cut(self, definition: Definition, valid_from: int) -> int:
        """Return up to when all stays as earlier rules had it: no report takes back what it calls final."""
        reigning = self.reigning
        if reigning.fired is None:
            return self.nothing
        cuts = [cut for relation in definition.defines if (cut := reigning.frontier.cuts.get(relation)) is not None]
        if cuts and reigning.report != "eager":
            return max(cuts)
        return max(min(valid_from, self._before_tick(reigning.fired, 0)), self.nothing)

    def _before_tick(self, time: int, following: int) -> int:
        """Return the last time before a tick: at or after a time, or at or before it."""
        tick = self.reigning.windows.tick
        return (-(-(time + 1) // tick) if following else (time + 1) // tick) * tick - 1


def rename_input(blocks: Iterable[Block], plan: Plan) -> tuple[Block, ...]:
    """Return rows of the input under the names by which other rules have them."""
    kinds = {(source.input.signature, source.input.kind == "event") for source in plan.sources}
    return tuple(_rename(block, kinds) for block in blocks)


def _rename(block: Block, kinds: Collection[tuple[Signature, bool]]) -> Block:
    signature = Signature(block.name, len(block.args))
    other = other_name(signature)
    is_event = block.kind == "event"
    return (
        replace(block, name=other.name) if (signature, is_event) not in kinds and (other, is_event) in kinds else block
    )


def other_name(signature: Signature) -> Signature:
    """Return what an input is called where rules define it, too; or where they do not."""
    name = signature.name.removesuffix(f" {AS_INPUT}")
    return signature._replace(name=name) if name != signature.name else signature.stand_in(AS_INPUT)


def list_since(plan: Plan) -> list[list[int]]:
    """List since when definitions are there that came while the history went on: their numbers, and when."""
    return [[number, *look.since] for number, look in enumerate(plan.looks) if look.since is not None]


def with_since(program: Program, listed: Iterable[Sequence[int]]) -> Program:
    """Return the same rules, as they came while the history went on."""
    looks = list(program.plan.looks)
    for number, cut, valid_from, is_whole in listed:
        looks[number] = replace(looks[number], since=Since(cut, valid_from, bool(is_whole)))
    return replace(program, plan=replace(program.plan, looks=tuple(looks)))


# ---------------------------------------------------------------- the evaluation


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The query time at which rules took over: what later ones go on from, and what is told of it."""

    moment: QueryMoment
    told: QueryMoment


def take_over(takeover: Takeover, reigning: Reigning, carried: Carried, windows: Windows, scope: Scope) -> TakenOver:
    """Evaluate what changes, at the last query time. carried: by the rules until then; scope: of all new rules."""
    assert reigning.fired is not None, "there was a query time"
    ahead = reigning.fired + takeover.program.tuning.windows_ahead * windows.window
    evaluation = _Evaluation(takeover, reigning, carried, windows, scope)
    try:
        return with_room(lambda room: evaluation.run(ahead, room))
    except AxisFull:
        return with_room(lambda room: evaluation.run(reigning.fired or 0, room))


@dataclass(frozen=True, slots=True)
class _Evaluation:
    takeover: Takeover
    reigning: Reigning
    carried: Carried
    windows: Windows
    scope: Scope

    def run(self, until: int, room: int) -> TakenOver:
        program, windows, scope = self.takeover.program, self.windows, self.scope
        plan, fired = program.plan, self.reigning.fired
        assert fired is not None, "there was a query time"
        after = find_frontier(plan, windows, fired)
        lowest = min([after.lowest, self.reigning.frontier.lowest, *self._cuts(after).values()])
        frame, columns = lay_out(self.carried, program, windows, scope, (), until, replace(after, recent=lowest), room)
        earlier_scope = everything(self.reigning.plan)
        before = replace(frame, unreported=self.reigning.plan.unreported).at(min(fired, windows.end))
        put_known(earlier_scope.relations(self.reigning.plan), self.carried, columns, before)
        running = put_running(dues(self.reigning.plan, earlier_scope), self.carried, before)
        now = frame.at(before.now)
        arrived = [Arrived(block, windows) for block in self.carried.inputs]
        add_input(program, scope, visible_input(arrived, self.reigning.frontier, fired), now)
        kept = [relation for number in self.takeover.kept for relation in plan.definitions[number].defines]
        now.relations.update({relation: before.relations[relation] for relation in kept})
        state = self._state(after, before, {due: each for due, each in running.items() if due in dues(plan, scope)})
        views = Views(plan, state, now, scope)
        left_out = evaluate(program, now, self._to_evaluate(plan), views.settle, views.of)
        following = settle(plan, scope, after, now, now.running)
        now = replace(now, shared=Memo())
        moment = QueryMoment(fired, None, state.frontier, now, following, left_out)
        return TakenOver(moment, self._told(moment, before))

    def _to_evaluate(self, plan: Plan) -> tuple[int, ...]:
        """All but what is kept. Deadlines are known only up to the cut, so that what has some is latest once more."""
        return tuple(
            number
            for number, definition in enumerate(plan.definitions)
            if number not in self.takeover.kept or (isinstance(definition, Group) and definition.deadlines)
        )

    def _cuts(self, frontier: Frontier) -> dict[Relation, int]:
        """Return for each relation up to when it stays as it was."""
        plan = self.takeover.program.plan
        since = {
            relation: look.since.cut
            for number, (definition, look) in enumerate(zip(plan.definitions, plan.looks, strict=True))
            if number not in self.takeover.kept and look.since is not None
            for relation in definition.defines
        }
        return {**frontier.cuts, **since}

    def _state(self, frontier: Frontier, before: World, running: Mapping[Due, Running]) -> State:
        """Return the state that what changes is evaluated on."""
        plan, nothing = self.takeover.program.plan, frontier.nothing
        known: dict[Relation, Data] = {r: before.nothing_of(r) for r in self.scope.relations(plan)}
        base = before.with_only({**known, **before.relations})
        frontier = replace(frontier, cuts=self._cuts(frontier), recent=nothing, quiet=nothing)
        return settle(plan, self.scope, frontier, base, running, forgets=False)

    def _told(self, moment: QueryMoment, before: World) -> QueryMoment:
        """Return what is told: of relations that are gone, that they end; of no other what was told before."""
        removed, told_from = self.takeover.removed, self.takeover.told_from
        origin = moment.now.axis.origin
        ends = {r: before.relations[r].until(told_from[r] + 1 - origin, None) for r in removed}
        now = replace(moment.now, relations={**moment.now.relations, **ends})
        settled = replace(moment.frontier, cuts={**moment.frontier.cuts, **told_from})
        after = moment.state.frontier
        final = replace(after, cuts={**after.cuts, **{r: told_from[r] for r in removed}})
        return replace(moment, before=_reported(before), frontier=settled, now=_reported(now), state=State(final))


def _reported(world: World) -> World:
    """Return a world with what its rules report, which other rules may keep out."""
    values = frozenset((owner, value) for owner, value in world.frame.unreported if value is not None)
    relations = {relation: rows for relation, rows in world.relations.items() if world.reports(relation)}
    return replace(world, frame=replace(world.frame, unreported=values), relations=relations)
