"""Settings of pattern rules: policy, preferred candidates, the length of a tick, and properties of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from holdsfor.duration import PER_SECOND
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.capitals import DIRECTIVE as CAPITAL_NAMES
from holdsfor.language.parsing.syntax import Raw, RawClause, RawDirective, RawPatternRule
from holdsfor.language.patterns import Policy, Preference
from holdsfor.language.terms import Atom, Compound, Items, Place, Term, Var, name_and_args
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.draft import Draft

POLICIES: tuple[Policy, ...] = get_args(Policy)
WINDOWS = frozenset({"event_rule_window", "window"})
_PREFERENCES = "longest, shortest, greatest(X) or least(X)"


@dataclass(frozen=True, slots=True)
class PatternSettings:
    """Settings that the directives of a file make for the pattern rules after them. unit: the length of a tick."""

    policy: Policy = "unrestricted"
    prefers: tuple[Preference, ...] = ()
    unit: str = "s"


@dataclass(frozen=True, slots=True)
class Property:
    """One property of a labelled rule: property(event_rule_window, 10)."""

    name: str
    value: Term
    place: Place


Properties = dict[str, list[Property]]


def set_by_directive(draft: Draft, raw: RawDirective) -> bool:
    """`:- policy(recent).`, `:- prefer(longest).`, `:- tick(ms).`; False for other directives."""
    name, args = name_and_args(raw.goal) if raw.goal.is_named else ("", ())
    if raw.goal == Atom(CAPITAL_NAMES):
        return True  # the parser has done it
    if name not in ("policy", "prefer", "tick"):
        return False
    file = raw.place.file
    settings = draft.settings_of(file)
    term = args[0] if len(args) == 1 else raw.goal
    if name == "prefer":
        settings = replace(settings, prefers=read_preferences(draft, args, raw.goal))
    elif name == "policy":
        settings = replace(settings, policy=read_policy(draft, term))
    else:
        settings = replace(settings, unit=_read_unit(draft, term))
    draft.reading.settings[file] = settings
    return True


def read_policy(draft: Draft, term: Term) -> Policy:
    for policy in POLICIES:
        if term == Atom(policy):
            return policy
    hint = f"write {', '.join(POLICIES[:-1])} or {POLICIES[-1]}"
    draft.error("policy", f"`{written(term)}` is not a policy", term.place, hint)
    return "unrestricted"


def read_preferences(draft: Draft, terms: Iterable[Term], directive: Term) -> tuple[Preference, ...]:
    preferences: list[Preference] = []
    for term in terms:
        match term:
            case Atom(name="longest" | "shortest" as word):
                preferences.append(word)
            case Compound(functor="greatest" | "least" as word, args=(Var() as variable,)):
                preferences.append((word, variable))
            case Atom(name="any"):
                pass
            case _:
                message = f"`{written(term)}` does not say which candidate is preferred"
                draft.error("policy", message, term.place, f"write {_PREFERENCES}, or any for none of them")
    if not tuple(terms):
        draft.error("policy", "prefer needs an argument", directive.place, f"write {_PREFERENCES}")
    return tuple(preferences)


def _read_unit(draft: Draft, term: Term) -> str:
    if isinstance(term, Atom) and term.name in PER_SECOND:
        return term.name
    hint = f"write tick({'), tick('.join(PER_SECOND)}): how long one unit of time of the events is"
    draft.error("duration", f"`{written(term)}` is not the length of a tick", term.place, hint)
    return "s"


# ---------------------------------------------------------------- labels


def collect_properties(raw: Iterable[Raw]) -> Properties:
    """Collect `event_rule_property(label, name, value).` by label, wherever in the files it stands."""
    properties: Properties = {}
    for clause in find_all(raw, RawClause):
        if clause.body is None:
            match clause.head:
                case Compound(functor="event_rule_property", args=(Atom(name=label), Atom(name=name), value)):
                    properties.setdefault(label, []).append(Property(name, value, clause.place))
    return properties


def check_property(draft: Draft, raw: RawClause, args: tuple[Term, ...]) -> None:
    """event_rule_property(label, name, value): the rules of that label have it already."""
    labels = {name_and_args(each)[0] for each in _labels(draft.texts.raw) if each.is_named}
    if not isinstance(args[0], Atom) or args[0].name not in labels:
        hint = f"the labels are {', '.join(sorted(labels))}" if labels else "name a rule: r1: alarm(L) <- ..."
        draft.error("label", f"no rule has the label `{written(args[0])}`", args[0].place, hint)


def _labels(raw: Iterable[Raw]) -> Iterator[Term]:
    return (rule.label for rule in find_all(raw, RawPatternRule) if rule.label is not None)


def read_label(draft: Draft, label: Term | None) -> tuple[str, list[Property]]:
    """The name of a rule with its properties: r1, or r1([property(event_rule_window, 10)])."""
    match label:
        case None:
            return "", []
        case Atom(name=name):
            return name, list(draft.reading.properties.get(name, ()))
        case Compound(functor=name, args=(Items(items=items),)):
            return name, [*_listed(draft, items), *draft.reading.properties.get(name, ())]
    hint = "write a name before the colon: rise: up(X) <- a(X) SEQ b(X)."
    draft.error("label", f"`{written(label)}` cannot be the name of a rule", label.place, hint)
    return "", []


def _listed(draft: Draft, items: tuple[Term, ...]) -> Iterator[Property]:
    for item in items:
        match item:
            case Compound(functor="property", args=(Atom(name=name), value)):
                yield Property(name, value, item.place)
            case _:
                hint = "write property(event_rule_window, 10), property(policy, recent) or property(prefer, longest)"
                draft.error("label", f"`{written(item)}` is not a property", item.place, hint)
