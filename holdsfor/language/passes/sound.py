"""The part of a description that is right: what later phases refuse of it can be told together with the mistakes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.draft import Draft, RuleTexts
from holdsfor.language.parsing.syntax import Raw, RawClause, names_defined
from holdsfor.language.terms import Place, name_and_args
from holdsfor.language.vocabulary import FORMS

_NAME = re.compile(r"\b[a-z]\w*")
#: How often the passes may run: each run takes as long as reading the whole description.
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class SoundPart:
    """A checked draft of the clauses without a mistake, and the names that the other clauses define."""

    draft: Draft
    left_out: frozenset[str]

    def concerns(self, diagnostic: Diagnostic) -> bool:
        """Whether it is about sound clauses alone: what others define may be what it misses."""
        clauses = [raw.place for raw in self.draft.texts.raw if raw.place.covers(diagnostic.place)]
        return not any(self.left_out & _names_in(self.draft.texts.sources, place) for place in clauses)


def find_sound_part(parsed: RuleTexts, run_passes: Callable[[Draft], None]) -> SoundPart | None:
    """Leaves out the clauses with mistakes, then those that cannot do without them, until the passes find none.

    parsed: as it was before any pass. None: a mistake is in no clause, or each round shows more of them.
    """
    raw, left_out = list(parsed.raw), set(parsed.damaged)
    for _ in range(_ROUNDS):
        draft = Draft(replace(parsed.copy(), raw=list(raw), damaged=set()))
        run_passes(draft)
        errors = [each.place for each in draft.close() if each.severity == "error"]
        if not errors:
            return SoundPart(draft, frozenset(left_out - FORMS.keys()))
        wrong = {each.place for each in raw if any(each.place.covers(place) for place in errors)}
        if not wrong:
            return None
        wrong = _with_callers(parsed.sources, raw, wrong)
        left_out.update(*(names_defined(_text(parsed.sources, place)) for place in wrong))
        raw = [each for each in raw if each.place not in wrong]
    return None


def _with_callers(texts: Mapping[str, Source], raw: list[Raw], wrong: set[Place]) -> set[Place]:
    """Add the clauses that call a predicate of which no clause is left, and so on from these."""
    defining = Counter(_predicate(each) for each in raw)
    predicates = {each.place: _predicate(each) for each in raw}
    naming: dict[str, list[Place]] = defaultdict(list)
    for place in predicates:
        for name in _names_in(texts, place):
            naming[name].append(place)
    waiting, out = list(wrong), set(wrong)
    while waiting:
        name = predicates[waiting.pop()]
        defining[name] -= 1
        if name and not defining[name]:
            callers = [place for place in naming[name] if place not in out]
            out.update(callers)
            waiting += callers
    return out


def _predicate(raw: Raw) -> str:
    """Return the predicate of background knowledge that a clause defines, or nothing."""
    if not isinstance(raw, RawClause) or not raw.head.is_named:
        return ""
    name = name_and_args(raw.head)[0]
    return "" if name in FORMS else name


def _names_in(texts: Mapping[str, Source], place: Place) -> set[str]:
    return set(_NAME.findall(_text(texts, place)))


def _text(texts: Mapping[str, Source], place: Place) -> str:
    """The lines of a clause, from its first column on."""
    lines = [texts[place.file].line(number) for number in range(place.line, place.end_line + 1)]
    return "\n".join(lines)[place.column - 1 :]
