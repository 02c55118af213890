"""The plan as text: `print(plan)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import (
    Circle,
    Declared,
    Definition,
    DefinitionNode,
    Domain,
    Due,
    InputSource,
    Simple,
    UnionNode,
)
from holdsfor.plan.operators import At, Chain, Conclude, HoldsForRule, Relation
from holdsfor.plan.passes.share import grounds_of
from holdsfor.plan.printing.rule import NO_NAMES, Names, Writer, bound_names, grounding, named
from holdsfor.plan.whole_plan import Grounds, Home, Plan, Reach, Route, Shared, SharedExpression, Stage


def show(plan: Plan) -> str:
    """Inputs, facts, domains, stages, and every definition with its operators in the order of the data."""
    sections = (
        ("inputs", [show_source(source) for source in plan.sources]),
        ("facts", [f"{signature}: {_count(len(table), 'row')}" for signature, table in plan.facts]),
        ("domains", [line for domain in plan.domains for line in show_domain(domain)]),
        ("stages", show_stages(plan)),
        ("shared", list(show_shared(plan))),
        ("definitions", [line for lines in show_definitions(plan) for line in lines]),
    )
    lines = [line for title, inside in sections if inside for line in (title, *(f"  {each}" for each in inside))]
    return "\n".join([*lines, show_reach(plan.reach)])


def show_source(source: InputSource) -> str:
    """The input with its kind; which arguments are needed as terms, and which are calculated with."""
    columns = [("terms", source.identities), ("numbers", source.input.numbers)]
    return "; ".join([show_input(source), *(f"{what} {_places(where)}" for what, where in columns if where)])


def show_input(source: InputSource) -> str:
    """Write the kind of an input, and the relations that come of it."""
    kind = {"event": "event", "interval": "fluent", "point": "fluent by points"}[source.input.kind]
    return f"{kind} {', '.join(sorted(map(named, source.relations)))}"


def show_domain(domain: Domain) -> Iterator[str]:
    for rule in domain.rules:
        yield show_declared(domain.relation, rule)
    if not domain.rules:
        yield f"{named(domain.relation)}: none"


def show_declared(relation: Relation, rule: Declared) -> str:
    """Write what a declaration or a background rule gives, and its conditions."""
    writer = Writer(rule.chain)
    head = grounding(relation, rule.args, writer)
    chain = writer.chain(rule.chain) or "always"
    return f"{head}: {chain}" if rule.enumerates else f"{head}, of those in the data: {chain}"


def show_reach(reach: Reach) -> str:
    back, ahead = ("without limit" if far is None else str(far) for far in (reach.back, reach.ahead))
    ticks = f" and {_count(reach.ticks, 'clock tick')}" if reach.ticks else ""
    return f"reach: back {back}, ahead {ahead}{ticks}"


# ---------------------------------------------------------------- stages


def show_stages(plan: Plan) -> list[str]:
    """One line per stage with what it defines and by which arguments, and one with the routes of what it reads."""
    return [line for number, stage in enumerate(plan.stages, 1) for line in _stage(number, stage, named)]


def show_stages_to_authors(plan: Plan) -> list[str]:
    """Show stages with the names that rules have: a dynamic domain instead of the fluents that stand for it."""

    def name(relation: Relation) -> str:
        domain = relation.signature.domain_behind(plan.unreported)
        return named(relation) if domain is None else str(domain)

    return [line for number, stage in enumerate(plan.stages, 1) for line in _stage(number, stage, name)]


def _stage(number: int, stage: Stage, name: Callable[[Relation], str]) -> Iterator[str]:
    homes = ", ".join(dict.fromkeys(f"{name(home.relation)}{_home(home)}" for home in stage.homes))
    sends_on = "sends on what the next stage follows" if stage.sends_on else ""
    yield f"{number}: {'; '.join(filter(None, (homes, sends_on)))}"
    routes = [route for route in stage.routes if route.way != "link"]
    if routes:
        yield f"    reads {', '.join(dict.fromkeys(_route(route, name) for route in routes))}"
    links = [f"{name(route.relation)} by {_places(route.positions)}" for route in stage.routes if route.way == "link"]
    if links:
        yield f"    tuples from {', '.join(dict.fromkeys(links))}"


def _home(home: Home) -> str:
    if home.slices is not None:
        return f" by slices of {home.slices.length} ticks"
    match home.positions:
        case None:
            return " where its conditions are"
        case ():
            return ", all together"
        case positions:
            return f" by {_places(positions)}"


def _route(route: Route, name: Callable[[Relation], str]) -> str:
    match route.way:
        case "everywhere":
            return f"{name(route.relation)} everywhere"
        case "follow":
            return f"{name(route.relation)} wherever {_places(route.positions)} is"
        case "slice":
            return f"{name(route.relation)} by time"
        case _:
            return name(route.relation) + (f" by {_places(route.positions)}" if route.positions else "")


def _wheres(plan: Plan) -> Iterator[str]:
    """The stage of each definition, as words."""
    words = {}
    for number, stage in enumerate(plan.stages, 1):
        homes = {home.relation: home for home in stage.homes}
        for index in stage.definitions:
            words[index] = f"stage {number}{_home(homes[plan.definitions[index].defines[0]])}"
    return (words[index] for index in range(len(plan.definitions)))


# ---------------------------------------------------------------- definitions


def show_definitions(plan: Plan) -> Iterator[list[str]]:
    """The lines of each definition, with its stage and the names of what it shares."""
    names = {one.part: one.name for one in plan.shared if one.name}
    for definition, where in zip(plan.definitions, _wheres(plan), strict=True):
        yield list(_placed(definition, where, names))


def _placed(definition: Definition, where: str, names: Names) -> Iterator[str]:
    title, *rules = show_definition(definition, names)
    yield f"{title} ({where})"
    yield from (f"  {rule}" for rule in rules)


def show_definition(definition: DefinitionNode, names: Names = NO_NAMES) -> Iterator[str]:
    """The name and kind, then one line per rule; for intervals, more for the evidence and the conditions."""
    yield f"{definition.WORD} {', '.join(map(named, definition.defines))}"
    for fluent in definition.simple_fluents:
        yield from _simple(fluent, names if fluent is definition else NO_NAMES)
    yield from map(show_deadline, find_all(definition, Due))
    if isinstance(definition, Circle):
        for part in definition.parts:
            yield from show_definition(part, names)
    if isinstance(definition, UnionNode):
        for rule in definition.rules:
            if isinstance(rule, HoldsForRule):
                yield from show_holds_for_rule(rule, definition.relation, names)
            else:
                yield show_conclusion(rule, definition.relation, "happens", names)


def _simple(fluent: Simple, names: Names = NO_NAMES) -> Iterator[str]:
    for relation, mine in zip(fluent.relations, fluent.initially, strict=False):
        for rule in mine:
            writer = Writer(rule.chain)
            condition = f": {writer.chain(rule.chain)}" if rule.chain else ""
            yield f"initially {grounding(relation, rule.args, writer)}{condition}"
    for kind, rules in (("initiated", fluent.initiations), ("terminated", fluent.terminations)):
        for relation, mine_rules in zip(fluent.relations, rules, strict=True):
            yield from (show_conclusion(rule, relation, kind, names) for rule in mine_rules)


def show_deadline(due: Due) -> str:
    """Write what leads from which value of a fluent to which, and when."""
    source, target = due.values or (due.source.value, due.target.value)
    name = due.source.signature
    writer = Writer(due.conditions)
    args = ",".join(map(writer.arg, due.args))
    conditions = f": {writer.chain(due.conditions)}" if due.conditions else ""
    text = f"after {writer.term(due.after)} {name.name}({args})={source} becomes {target}"
    return text + (", extensible" if due.extensible else "") + conditions


def show_conclusion(rule: Conclude, relation: Relation, kind: str, names: Names = NO_NAMES) -> str:
    writer = Writer(rule.chain, rule.time, names)
    head = grounding(relation, rule.args, writer)
    time = writer.name(rule.time)
    when = f"at {time}" if rule.start is None else f"from {writer.name(rule.start)} to {time}"
    return f"{kind} {head} {when}: {writer.rule(rule.chain)}"


def show_holds_for_rule(rule: HoldsForRule, relation: Relation, names: Names = NO_NAMES) -> Iterator[str]:
    grounds = grounds_of(rule, relation)
    writer = Writer(rule.conditions, None, names, grounds)
    head = grounding(relation, rule.args, writer)
    yield f"holds {head} during {writer.expression(rule.expression)}"
    together = names.get(SharedExpression(grounds, None))
    if together is not None:
        yield f"  for {','.join(map(writer.name, rule.variables))} of {together}"
    else:
        yield from _groundings(rule, writer)


def _groundings(rule: HoldsForRule | Grounds, writer: Writer) -> Iterator[str]:
    if rule.variables:
        names = ",".join(map(writer.name, rule.variables))
        evidence = " or ".join(map(writer.evidence, rule.evidence)) or "the declared domain"
        yield f"  for {names} of {evidence}"
    if rule.conditions:
        yield f"  with {writer.chain(rule.conditions)}"


# ---------------------------------------------------------------- what is shared


def show_shared(plan: Plan) -> Iterator[str]:
    """Show what is worked out once: its name with its variables, what it is, and how often it is used."""
    names: dict[Chain | SharedExpression, str] = {}
    for one in plan.shared:
        if not one.name:
            continue
        text = (
            _shared_part(one, one.part, names)
            if isinstance(one.part, SharedExpression)
            else _beginning(one, one.part, names)
        )
        yield f"{text}; {one.uses} times"
        names[one.part] = one.name


def _beginning(one: Shared, chain: Chain, names: Names) -> str:
    time = next((op.time for op in chain if isinstance(op, At)), None)
    writer = Writer(chain, time, names)
    args = ",".join(map(writer.name, bound_names(chain)))
    return f"{one.name}({args}): {writer.rule(chain)}"


def _shared_part(one: Shared, part: SharedExpression, names: Names) -> str:
    grounds = part.grounds
    writer = Writer(() if grounds is None else grounds.conditions, None, names, grounds)
    if part.expression is not None:
        text = part.expression.text(writer)
        return f"{one.name}({','.join(map(writer.name, writer.used(part.expression)))}): {text}"
    assert grounds is not None
    return f"{one.name}: groundings {', '.join(line.strip() for line in _groundings(grounds, writer))}"


def _places(positions: Iterable[int]) -> str:
    return ",".join(str(position + 1) for position in sorted(positions))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
