"""Every variable gets a value from some condition, whatever the order of the conditions."""

from __future__ import annotations

from collections.abc import Set

from holdsfor.language.description import Clause, Deadline, Grounding, Initially, Rule, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import (
    Aggregate,
    Apply,
    Body,
    Call,
    Closed,
    Compare,
    Edge,
    Happens,
    Holds,
    Literal,
    Not,
    Or,
    all_variables,
    variables_beside,
)
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.names.predicates import Modes
from holdsfor.language.reading.elsewhere import not_arithmetic
from holdsfor.language.terms import START, Place, Term, Var, in_order, overlap, variables
from holdsfor.language.written import written


def safety(draft: Draft) -> None:
    modes = Modes(draft.background, draft.order.recursive)
    listed = _listed_domains(draft)
    says_nothing = []
    for rule in draft.rules:
        if rule.place not in draft.reading.incomplete and not _rule(draft, rule, modes, listed):
            says_nothing.append(id(rule))
    for clause in draft.background:
        if clause.place in draft.reading.incomplete:
            continue
        if clause.signature in draft.order.recursive:
            _recursive(draft, clause, modes)
        elif clause.body:
            _clause(draft, clause, modes)
    draft.rules = [rule for rule in draft.rules if id(rule) not in says_nothing]
    for each in draft.timeless:
        if each.place not in draft.reading.incomplete:
            _standing(draft, each, modes)


def _standing(draft: Draft, clause: Grounding | Initially | Deadline, modes: Modes) -> None:
    """Clauses without time: their conditions are about background knowledge."""
    head = clause.head_variables
    values: set[Var] = {START} if isinstance(clause, Initially) else set()
    if isinstance(clause, Deadline) or (isinstance(clause, Initially) and _is_listed(draft, clause, modes)):
        values.update(variables(clause.fluent))  # a deadline is about what is there; a domain gives what may be
    reported = _report(draft, modes, modes.run(clause.body, values, head), values, head, clause.body)
    if isinstance(clause, Grounding):
        return
    if isinstance(clause, Initially):
        _unknown_at_start(draft, clause, values | reported)
    what, term = ("duration", clause.duration) if isinstance(clause, Deadline) else ("value", clause.value)
    for variable in dict.fromkeys(variables(term)):
        if variable not in values | reported:
            message = f"nothing says what the {what} {written(variable)} is"
            draft.error("unbound", message, variable.place, "write a constant, or bind it in a condition")


def _is_listed(draft: Draft, clause: Initially, modes: Modes) -> bool:
    """Whether a declaration lists the groundings: they are what `initially(f(_)=v)` is about."""
    for each in draft.groundings:
        if each.value is not None and each.signature == clause.signature and not _is_dynamic(draft, each):
            bound: set[Var] = set()
            modes.run(each.body, bound, set(variables(each.entity)))
            if bound.issuperset(variables(each.entity)) and overlap(each.value, clause.value):
                return True
    return False


def _unknown_at_start(draft: Draft, clause: Initially, values: set[Var]) -> None:
    """Groundings come from the data, and at the start there are none."""
    note_evidence(draft, clause.fluent, clause.value, values | set(variables(clause.fluent)))
    missing = next((each for each in variables(clause.fluent) if each not in values), None)
    if missing is not None and clause.signature.name not in draft.texts.damaged:
        pair = f"{written(clause.fluent)}={written(clause.value)}"
        message = f"nothing says for which groundings {pair} holds initially: at the start none is known"
        hint = f"write conditions: initially({pair}) :- ..., or declare the domain: grounding({pair}) :- ..."
        draft.error("unbound", message, missing.place, hint)


def _rule(draft: Draft, rule: Rule, modes: Modes, listed: Set[tuple[Signature, bool]]) -> bool:
    """Check a rule; return False if it has no effect, because no grounding declares its arguments."""
    head = rule.head_variables
    # Where groundings are declared, they give the arguments of the head their values.
    values = head - {rule.at} if (rule.signature, rule.value is not None) in listed else set()
    left = modes.run(rule.body, values, head)
    reported = _report(draft, modes, left, values, head, rule.body)
    if left:
        values |= all_variables(left)
    if rule.at not in values | reported:
        _unbound_time(draft, rule)
    if rule.kind in ("happensAt", "holdsFor"):
        return _check_arguments(draft, rule, values | reported)
    if rule.kind == "initiatedAt" and rule.value is not None:
        note_evidence(draft, rule.subject, rule.value, values | reported)
        _unbound_value(draft, rule, values | reported)
    return True


def _clause(draft: Draft, clause: Clause, modes: Modes) -> None:
    """A background rule must at least work when it is called with all arguments known."""
    head = clause.head_variables
    values = set(head)
    _report(draft, modes, modes.run(clause.body, values, head), values, head, clause.body)


def _recursive(draft: Draft, clause: Clause, modes: Modes) -> None:
    """Check a clause that calls itself: it is worked out before any call, and must give all arguments their values."""
    head = set(variables(clause.head))
    values: set[Var] = set()
    left = modes.run(clause.body, values, head)
    reported = _report(draft, modes, left, values, head, clause.body)
    owner = clause.signature
    for variable in dict.fromkeys(variables(clause.head)):
        if variable not in values | reported | all_variables(left):
            message = (
                f"{owner} calls itself, so it is worked out before: no condition gives {written(variable)} a value"
            )
            hint = "give each argument of the head a value in the body"
            draft.error("unbound", message, variable.place, hint)


def _unbound_time(draft: Draft, rule: Rule) -> None:
    if rule.kind == "holdsFor":
        hint = f"compute it: union_all([...], {rule.at}), or holdsFor(fluent=value, {rule.at})"
        draft.error("unbound", f"no condition computes the intervals {rule.at}", rule.at.place, hint)
    else:
        hint = f"add a condition such as happensAt(event, {rule.at})"
        draft.error("unbound", f"no condition says when: the time {rule.at} has no value", rule.at.place, hint)


def _check_arguments(draft: Draft, rule: Rule, values: set[Var]) -> bool:
    """Report arguments without a value; return False if the rule is left out."""
    entity = written(rule.subject) + ("" if rule.value is None else f"={written(rule.value)}")
    for variable in dict.fromkeys(variables(rule.defined)):
        if variable in values:
            continue
        name = written(variable)
        if _is_left_out(draft, rule):
            message = f"this rule is left out: no condition gives {name} a value, and no grounding declares {entity}"
            draft.warning("domain", message, variable.place, f"add grounding({entity}) :- ..., or bind {name}")
            return False
        event = "an event needs all its arguments: " if rule.kind == "happensAt" else ""
        hint = f"bind it in the body, or declare the domain: grounding({entity}) :- ..."
        draft.error("unbound", f"{event}no condition gives {name} a value", variable.place, hint)
    return True


def _is_left_out(draft: Draft, rule: Rule) -> bool:
    """Whether RTEC would compute nothing for it: files that declare groundings do so for all that is to be found."""
    about = ((each.signature, each.value is not None) for each in draft.groundings)
    return bool(draft.groundings) and (rule.signature, rule.value is not None) not in about


def _unbound_value(draft: Draft, rule: Rule, values: set[Var]) -> None:
    assert rule.value is not None
    missing = next((variable for variable in variables(rule.value) if variable not in values), None)
    if missing is not None:
        name = written(missing)
        hint = f"write the value, as in {written(rule.subject)}=true, or bind {name} in the body"
        message = f"nothing says what the value {written(rule.value)} of {rule.signature} is"
        draft.error("unbound", message, missing.place, hint)


def _listed_domains(draft: Draft) -> set[tuple[Signature, bool]]:
    """The events and fluents whose groundings are declared, and not fed by the data; whether each is a fluent."""
    listed = (each for each in draft.groundings if not _is_dynamic(draft, each))
    return {(each.signature, each.value is not None) for each in listed}


def _is_dynamic(draft: Draft, grounding: Grounding) -> bool:
    """Whether the data give its members."""
    return any(call.signature in draft.declared.dynamic_domains for call in find_all(grounding.body, Call))


# ---------------------------------------------------------------- what is left


def _report(draft: Draft, modes: Modes, left: list[Literal], values: set[Var], head: set[Var], body: Body) -> set[Var]:
    """One error for each variable without a value; those that another condition would give are left to that one.

    partly: the variables that some alternatives give a value, and others do not.
    """
    reported: set[Var] = set()
    partly = all_variables(each for each in body if isinstance(each, Or) and each not in left)
    promised = {id(literal): literal.gives - literal.needs for literal in left}
    for literal in left:
        others = {variable for other in left if other is not literal for variable in promised[id(other)]}
        missing = _missing(modes, literal, values, head | variables_beside(left, literal))
        for variable in missing:
            if variable not in reported and variable not in others:
                reported.add(variable)
                draft.error("unbound", *_message(literal, variable, variable in partly))
    if left and not reported:
        variable = min(_missing(modes, left[0], values, head) or all_variables(left[:1]), key=str)
        reported.add(variable)
        draft.error("unbound", *_message(left[0], variable, variable in partly))
    return reported


def _missing(modes: Modes, literal: Literal, values: set[Var], outside: set[Var]) -> list[Var]:
    if isinstance(literal, Closed):
        shared = literal.shared(outside) - values
        if shared:
            return in_order(shared)
        outside = outside | literal.gives
    missing = [each for body in literal.bodies for each in _missing_inside(modes, body, values, outside)]
    needed = _needed_by_call(modes, literal, values) if isinstance(literal, Call) else literal.needs - values
    return missing or in_order(needed)


def _missing_inside(modes: Modes, body: Body, values: set[Var], outside: set[Var]) -> list[Var]:
    reached = set(values)
    left = modes.run(body, reached, outside)
    others = outside | all_variables(body)
    return [variable for each in left for variable in _missing(modes, each, reached, others)]


def _needed_by_call(modes: Modes, call: Call, values: set[Var]) -> set[Var]:
    """The fewest arguments that make the call possible: those that alone would not do when left out."""
    unbound = set(variables(call.goal)) - values
    needed = set()
    for variable in unbound:
        if modes.gives(call, values | unbound - {variable}, set()) is None:
            needed.add(variable)
    return needed or unbound


def _times(negation: Not) -> set[Term]:
    return {each.time for each in find_all(negation.literals, Literal) if isinstance(each, Happens | Holds | Edge)}


def _message(literal: Literal, variable: Var, partly: bool) -> tuple[str, Place, str]:
    place, name = variable.place, written(variable)
    if partly:
        return f"not all alternatives give {name} a value", place, "bind it in each of them, or outside"
    if isinstance(literal, Not):
        hint = "bind it in another condition, or write _ for any value"
        if variable in _times(literal):
            hint = f"add a condition that gives the time, such as happensAt(event, {name})"
        return f"{name} stands in a negation, and no other condition gives it a value", place, hint
    if isinstance(literal, Aggregate):
        hint = "bind it in another condition, or give it another name if it is another variable"
        return f"{name} stands in a findall, and no other condition gives it a value", place, hint
    if isinstance(literal, Or):
        hint = "bind it in the same alternative, or outside the alternatives"
        return f"{name} has no value in one of the alternatives that use it", place, hint
    if literal.times:
        hint = f"add a condition that gives the time, such as happensAt(event, {name})"
        return f"the time {name} has no value", place, hint
    if variable in literal.intervals:
        return f"no condition computes the intervals {name}", place, f"add holdsFor(fluent=value, {name})"
    if isinstance(literal, Call):
        return f"{literal.signature} needs a value for {name}", place, "bind it in another condition"
    hint = "bind it in another condition"
    if isinstance(literal, Apply):
        message = f"`{written(literal.call)}` calls a function, and no condition gives {name} a value"
        return message, place, f"{hint}; if a term is meant, give it a name that no function has"
    if (
        isinstance(literal, Compare)
        and literal.op in ("==", "=:=")
        and variable == literal.left
        and not list(not_arithmetic(literal.right))
    ):
        hint = f"bind it in another condition; to calculate it, write {name} is {written(literal.right)}"
    return f"{name} is compared or calculated with, and no condition gives it a value", place, hint


# ---------------------------------------------------------------- evidence


def no_evidence(draft: Draft) -> None:
    """Arguments that no rule binds mean all groundings there are; some rule must make one."""
    for owner, (fluent, value, missing) in draft.definitions.open.items():
        is_declared = any(each.signature == owner for each in draft.groundings)
        if owner not in draft.definitions.grounded and not is_declared and owner.name not in draft.texts.damaged:
            what = "" if missing.anonymous else f" {written(missing)}"
            message = f"nothing says for which{what}: no rule initiates {owner} with all its arguments known"
            pair = f"{written(fluent)}={written(value)}"
            hint = f"bind it in the body, or declare the domain: grounding({pair}) :- ..."
            if draft.groundings:  # RTEC computes nothing for it, and neither do we
                draft.warning("domain", f"{message}, and no grounding declares it: it never holds", missing.place, hint)
            else:
                draft.error("unbound", message, missing.place, hint)


def note_evidence(draft: Draft, fluent: Term, value: Term, values: set[Var]) -> None:
    """Remembers whether a rule that initiates says for whom."""
    missing = next((each for each in variables(fluent) if each not in values), None)
    if missing is None:
        draft.definitions.grounded.add(Signature.of(fluent))
    else:
        draft.definitions.open.setdefault(Signature.of(fluent), (fluent, value, missing))
