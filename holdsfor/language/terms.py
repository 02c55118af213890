"""Terms: the words of a rule. Immutable, compared by identity of the term (7, 7.0, '7' differ), each with its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from holdsfor.language.nodes import Node, find_all, transform

_PLAIN_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*\Z|\[\]\Z|(?!/\*|\.\Z)[+\-*/\\^<>=~:.?@#&$]+\Z|[!;]\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the source; lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def covers(self, other: Place) -> bool:
        begins = (self.line, self.column) <= (other.line, other.column)
        ends = (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        return self.file == other.file and begins and ends


NOWHERE = Place("<built-in>", 1, 1, 1, 1)


class Plain(Node):
    """A term that is no compound one: it has no functor and no arguments."""

    __slots__ = ()
    functor: ClassVar[str] = ""
    args: ClassVar[tuple[Term, ...]] = ()
    is_named: ClassVar[bool] = False  # events, fluents and predicates look so


@dataclass(frozen=True, slots=True)
class Var(Plain):
    """A variable. Each anonymous `_` of a clause gets its own name, `_1`, `_2`, ... (see `anonymous`)."""

    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    anonymous: bool = field(default=False, compare=False, repr=False)

    def __str__(self) -> str:
        return "_" if self.anonymous else self.name


#: The first point of the history, in a condition of initially.
START = Var("start~")


@dataclass(frozen=True, slots=True)
class Atom(Plain):
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    is_named = True

    def __str__(self) -> str:
        return quoted(self.name)


@dataclass(frozen=True, slots=True)
class Int(Plain):
    value: int
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Float(Plain):
    value: float
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return repr(self.value + 0.0)  # there is one zero


@dataclass(frozen=True, slots=True)
class Compound(Node):
    functor: str
    args: tuple[Term, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = ("args",)
    is_named = True

    def __str__(self) -> str:
        return f"{quoted(self.functor)}({','.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Items(Plain):
    """A proper list: `[a, b]`."""

    items: tuple[Term, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = ("items",)

    def __str__(self) -> str:
        return f"[{','.join(map(str, self.items))}]"


Term = Var | Atom | Int | Float | Compound | Items


def quoted(name: str) -> str:
    """The atom as Prolog text: in quotes where it needs them."""
    if _PLAIN_ATOM.match(name):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def variables(terms: Term | Iterable[Term]) -> Iterator[Var]:
    """Iterate over the variables of terms from left to right, repeated as they occur."""
    return find_all(terms, Var)


def in_order(names: Iterable[Var]) -> list[Var]:
    """Sort variables by where they stand in the text."""
    return sorted(names, key=lambda variable: (variable.place.line, variable.place.column))


def substitute(term: Term, binding: Mapping[str, Term]) -> Term:
    """Return the term with other terms for some of its variables, by their names."""
    return transform(term, lambda part: binding.get(part.name, part) if isinstance(part, Var) else part)


def unify(goal: tuple[Term, ...], head: tuple[Term, ...]) -> tuple[dict[str, Term], list[tuple[Term, Term]]] | None:
    """Return the terms for the variables of a head, and the pairs that must be equal besides; None: there are none."""
    binding: dict[str, Term] = {}
    equal: list[tuple[Term, Term]] = []
    waiting = list(zip(goal, head, strict=True))
    while waiting:
        mine, theirs = waiting.pop(0)
        if isinstance(theirs, Var) and theirs.name not in binding:
            binding[theirs.name] = mine
        elif is_ground(mine) and is_ground(theirs):
            if mine != theirs:
                return None
        elif isinstance(mine, Compound) and isinstance(theirs, Compound):
            if (mine.functor, len(mine.args)) != (theirs.functor, len(theirs.args)):
                return None
            waiting[:0] = zip(mine.args, theirs.args, strict=True)
        else:
            equal.append((mine, theirs))
    return binding, equal


def is_ground(term: Term) -> bool:
    """Whether a term has no variables."""
    return next(variables(term), None) is None


def overlap(pattern: Term, term: Term) -> bool:
    """Whether some values of their variables make them the same term."""
    is_open = "[|]" in (pattern.functor, term.functor)  # a list with a tail
    if is_open or isinstance(pattern, Var) or isinstance(term, Var) or pattern == term:
        return True
    return are_alike(pattern, term) and all(map(overlap, inside(pattern), inside(term)))


def are_alike(pattern: Term, term: Term) -> bool:
    """Whether both are lists, or have the same functor, with as many terms inside."""
    is_one_kind = type(pattern) is type(term) and pattern.functor == term.functor
    return is_one_kind and bool(inside(term)) and len(inside(pattern)) == len(inside(term))


def inside(term: Term) -> tuple[Term, ...]:
    """Return the arguments of a term, or the items of a list."""
    return term.items if isinstance(term, Items) else term.args


def name_and_args(term: Term) -> tuple[str, tuple[Term, ...]]:
    """`f(a,b)` -> ('f', (a, b)); `f` -> ('f', ())."""
    if isinstance(term, Compound):
        return term.functor, term.args
    if isinstance(term, Atom):
        return term.name, ()
    raise TypeError(f"not a name with arguments: {term}")


def shifted(term: Term) -> tuple[Var | None, int]:
    """Return a variable and how far the term is from it: `T+5` is (T, 5); no variable for other terms."""
    match term:
        case Var():
            return term, 0
        case Compound(functor="+" | "-" as sign, args=(Var() as base, Int(value=distance))):
            return base, distance if sign == "+" else -distance
        case Compound(functor="+", args=(Int(value=distance), Var() as base)):
            return base, distance
    return None, 0


# ---------------------------------------------------------------- what terms are about


class Signature(NamedTuple):
    """A name with its number of arguments (the value of a fluent is not counted)."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"

    @classmethod
    def of(cls, term: Term) -> Signature:
        """Return the signature of an event, fluent or predicate: `f(a, b)` -> f/2."""
        if isinstance(term, Compound):  # first and at once: facts come in great numbers
            return cls(term.functor, len(term.args))
        return cls(name_and_args(term)[0], 0)

    @property
    def signature(self) -> Signature:
        return self

    def stand_in(self, word: str) -> Signature:
        """Name a fluent that stands for this dynamic domain and says who is in it. Only checking makes such fluents."""
        return Signature(f"{self.name} {word}", self.arity)

    def domain_behind(self, unreported: Collection[Unreported]) -> Signature | None:
        """The dynamic domain that a fluent stands for, if it is such a fluent. unreported: what results leave out."""
        name, _, word = self.name.rpartition(" ")
        is_stand_in = word in STAND_INS and (self, None) in unreported
        return Signature(name, self.arity) if is_stand_in else None


Unreported = tuple[Signature, Term | None]
"""What results leave out: a definition, or one value of a fluent."""

#: `d seen` begins when a member of d turns up; `d ever` holds all of the history for whoever turns up in it.
SEEN, EVER = STAND_INS = ("seen", "ever")
