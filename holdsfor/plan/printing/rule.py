"""The operators of one rule as text, with names for people: T, T2, ... for times, A, B, ... for other variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_uppercase
from types import MappingProxyType

from holdsfor.language.nodes import find_all, transform
from holdsfor.language.terms import Term, Var, quoted
from holdsfor.language.written import written
from holdsfor.plan.nodes import RelationNode, names_in
from holdsfor.plan.operators import Arg, At, Chain, Expression, Holding, Lookup, Occurring, Of, Relation, Structure
from holdsfor.plan.patterns import Absent, Choosing, Pairs, PatternNode
from holdsfor.plan.walk import flat
from holdsfor.plan.whole_plan import Grounds, SharedExpression

LETTERS = ascii_uppercase.replace("T", "")
Names = Mapping[Chain | SharedExpression, str]
NO_NAMES: Names = MappingProxyType({})


class Writer:
    """Writes the parts of one rule; a variable has the same name in all of them."""

    def __init__(
        self,
        chain: Chain,
        time: str | None = None,
        names: Names = NO_NAMES,
        grounds: Grounds | None = None,
        written: Mapping[str, str] = MappingProxyType({}),  # the names that the rule's author gave variables
    ) -> None:
        self._shared, self._grounds = names, grounds
        self._times = {op.time for op in flat(chain) if isinstance(op, At | Occurring | Holding)}
        self._times |= {op.start for op in flat(chain) if isinstance(op, At | Occurring) and op.start is not None}
        self._names: dict[str, str] = dict(written)
        if time is not None:  # the time of the head is T
            self._times.add(time)
            self.name(time)

    def name(self, variable: str) -> str:
        if variable not in self._names:
            if variable in self._times:
                number = sum(name in self._times for name in self._names) + 1
                self._names[variable] = "T" if number == 1 else f"T{number}"
            else:
                place = sum(name not in self._times for name in self._names)
                again = place // len(LETTERS) + 1
                self._names[variable] = LETTERS[place % len(LETTERS)] + (str(again) if again > 1 else "")
        return self._names[variable]

    def arg(self, arg: Arg) -> str:
        if arg is None:
            return "_"
        if isinstance(arg, Structure):
            return _call(quoted(arg.functor), [self.arg(part) for part in arg.args])
        return self.name(arg) if isinstance(arg, str) else str(arg)

    # ------------------------------------------------------------ chains

    def rule(self, chain: Chain) -> str:
        """A whole chain, in which the longest shared beginning goes by its name."""
        shared = [n for n in range(len(chain), 0, -1) if chain[:n] in self._shared]
        if not shared:
            return self.chain(chain)
        beginning, rest = chain[: shared[0]], chain[shared[0] :]
        name = _call(self._shared[beginning], [self.name(v) for v in bound_names(beginning)])
        return " -> ".join([name, *(op.text(self) for op in rest)])

    def chain(self, chain: Chain) -> str:
        return " -> ".join(op.text(self) for op in chain)

    # ------------------------------------------------------------ patterns

    def absent(self, pattern: Absent) -> str:
        """Write what must not be."""
        return " or ".join(one.text(self) for one in pattern.what)

    def passing(self, conditions: tuple[Chain, ...]) -> str:
        """Write the conditions that what a pattern gives must pass."""
        return "" if conditions == ((),) else f" -> {' or '.join(map(self.chain, conditions))}"

    def limits(self, pattern: Pairs | Absent) -> str:
        """Write what limits the pairs of a join: a window, conditions, a policy."""
        return self.within(pattern) + self.passing(pattern.conditions) + self._choosing(pattern.choosing)

    def within(self, pattern: PatternNode) -> str:
        """Write how long an occurrence may last."""
        return "" if pattern.within is None else f" within {pattern.within}"

    def _choosing(self, choosing: Choosing) -> str:
        """Write the policy of a join, and what it takes first of what ended at the same time."""
        if choosing.policy == "unrestricted":
            return ""
        words: list[str] = [choosing.policy]
        words += [f"{order} {self.name(variable)}" if variable else order for order, variable in choosing.prefers]
        return "".join(f", {each}" for each in words)

    def grounding(self, node: RelationNode) -> str:
        return grounding(node.relation, node.args, self)

    def fact(self, op: Lookup) -> str:
        return _call(op.facts.name, [self.arg(arg) for arg in op.args])

    def term(self, term: Term) -> str:
        """Write a term as rules have it, with the names that variables have here."""
        return written(transform(term, lambda part: Var(self.name(part.name)) if isinstance(part, Var) else part))

    # ------------------------------------------------------------ intervals

    def expression(self, expression: Expression) -> str:
        """A shared part goes by its name."""
        name = self._shared.get(SharedExpression(self._grounds, expression))
        if name is None:
            return expression.text(self)
        return _call(name, list(map(self.name, self.used(expression))))

    def used(self, expression: Expression) -> Iterable[str]:
        """The variables of an expression, in their order."""
        return dict.fromkeys(name for part in find_all(expression, Of) for name in names_in(part.args))

    def evidence(self, alternative: tuple[Of | Lookup, ...]) -> str:
        parts = [item.text(self) for item in alternative]
        return " and ".join(parts)


def bound_names(chain: Chain) -> Iterable[str]:
    """The variables that a chain gives values, in their order."""
    return dict.fromkeys(name for op in chain for name in op.binds())


def named(relation: Relation) -> str:
    """`e/2`, `f/1=on`, and `f/1=_` where the value is a column."""
    value = "_" if relation.kind == "valued" else relation.value
    return str(relation.signature) + (f"={value}" if value is not None else "")


def grounding(relation: Relation, args: tuple[Arg, ...], writer: Writer) -> str:
    """`gap(A)=near`; a value that is a column comes last in args."""
    texts = [writer.arg(arg) for arg in args]
    value = texts.pop() if relation.kind == "valued" else relation.value
    return _call(relation.name, texts) + (f"={value}" if value is not None else "")


def _call(name: str, args: list[str]) -> str:
    return f"{name}({','.join(args)})" if args else name
