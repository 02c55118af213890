"""The plan before and after the optimiser, and what each pass changed: `holdsfor check --plan`."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import count

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.literals import Call
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import name_and_args
from holdsfor.plan.compiler.bodies.unfold import read_background, unfold
from holdsfor.plan.compiler.compile import compiled
from holdsfor.plan.optimise import steps
from holdsfor.plan.printing.plan import show, show_definition, show_domain, show_shared
from holdsfor.plan.whole_plan import Plan


def explain(description: EventDescription) -> str:
    """Lines that begin with - were there before a pass, those with + are there after it."""
    before = made = compiled(description)
    lines = ["plan as the rules say it", *_indented(show(before).split("\n")), "", "passes"]
    lines += _indented(_told("unfolding of background rules", list(unfolded(description))))
    for name, after in steps(before):
        lines += _indented(_told(name, list(changed(made, after))))
        made = after
    return "\n".join([*lines, "", "plan that runs", *_indented(show(made).split("\n"))])


def _told(name: str, changes: list[str]) -> Iterator[str]:
    yield name if changes else f"{name}: nothing to do"
    yield from _indented(changes)


def _indented(lines: list[str] | Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def unfolded(description: EventDescription) -> Iterator[str]:
    """For each rule that calls background rules: which, and into how many rules that makes it."""
    background, fresh = read_background(description.background.clauses, description.background.tables), count()
    for rule in description.rules:
        called = dict.fromkeys(Signature.of(call.goal) for call in find_all(rule.body, Call))
        unfolding = (signature for signature in called if signature in background.rules)
        names = [str(signature) for signature in unfolding if not background.is_recursive(signature)]
        if names:
            forms = len(unfold(rule.body, background, fresh))
            head = name_and_args(rule.subject)[0]
            made = "1 rule" if forms == 1 else f"{forms} rules"
            yield f"{head} ({rule.place.file}:{rule.place.line}) calls {', '.join(names)}: {made}"


def changed(plan: Plan, optimised: Plan) -> Iterator[str]:
    """Iterate over lines that a pass took away and put in their place, and what is shared after it."""
    old, new = _lines(plan), _lines(optimised)
    for _, low, high, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if old[low:high] != new[begin:end]:
            yield from (f"- {line}" for line in old[low:high])
            yield from (f"+ {line}" for line in new[begin:end])
    if optimised.shared != plan.shared:
        yield from show_shared(optimised)


def _lines(made: Plan) -> list[str]:
    lines = [f"facts {signature}" for signature, _ in made.facts]
    lines += [f"closure of {signature}" for closure in made.closures for signature, _ in closure.rules]
    lines += [line for domain in made.domains for line in show_domain(domain)]
    return lines + [line for definition in made.definitions for line in show_definition(definition)]
