"""The road of every rule from what is written to a chain: unfold, fold, order, and the arguments of the head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from holdsfor.language.literals import Body
from holdsfor.language.terms import Place, Term
from holdsfor.plan.compiler.bodies.fold import Head, fold
from holdsfor.plan.compiler.bodies.relations import Relations
from holdsfor.plan.compiler.bodies.unfold import Background, unfold
from holdsfor.plan.compiler.order import Ordering, head_args, order
from holdsfor.plan.operators import Arg, Chain


@dataclass(frozen=True, slots=True)
class OrderedRule:
    chain: Chain
    args: tuple[Arg, ...]
    ordering: Ordering


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything that rules of a description are compiled with. fresh: numbers for variables, none used twice."""

    background: Background
    relations: Relations
    fresh: Iterator[int]

    def unfold_and_fold(self, body: Body, head: Head) -> Iterator[tuple[Body, Head]]:
        """The variants of a rule that can be true, in which only facts are called."""
        for variant in unfold(body, self.background, self.fresh):
            yield from self.fold(variant, head)

    def fold(self, variant: Body, head: Head) -> Iterator[tuple[Body, Head]]:
        """The variant with what is known before any data put in place; nothing if it can never be true."""
        folded = fold(variant, head, self.background)
        if folded is not None:
            yield folded

    def order(
        self,
        body: Body,
        head: Sequence[Term],
        place: Place,
        *,
        beside: tuple[Term, ...] = (),
        bound: Set[str] = frozenset(),
    ) -> OrderedRule:
        """The body as a chain. beside: terms that the rule needs besides its head, such as its time. bound: variables
        that have a value before."""
        chain, ordering = order(body, (*head, *beside), self.relations, bound)
        return OrderedRule(chain, head_args(head, ordering, place), ordering)
