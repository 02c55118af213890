"""Where background knowledge stands in the rule files: facts, clauses, and the conditions of clauses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from holdsfor.language.description import Clause, EventDescription
from holdsfor.language.literals import About, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.reading.sentences import Sentence, find_sentences
from holdsfor.language.terms import NOWHERE, Place, Signature

Goal = tuple[Signature, tuple[str, ...]]
"""A background predicate, with its arguments as text."""


class Knowledge:
    """The facts and clauses of a description, by what explanations ask for."""

    def __init__(self, description: EventDescription) -> None:
        self._description = description

    @cached_property
    def _clauses(self) -> Mapping[Place, Clause]:
        """Return the clause in whose body a condition stands."""
        clauses = self._description.background.clauses
        return {literal.place: clause for clause in clauses for literal in find_all(clause.body, Literal)}

    @cached_property
    def _calls(self) -> Mapping[Signature, list[About]]:
        """Return the conditions about each name: calls, where it is a predicate."""
        calls: dict[Signature, list[About]] = {}
        rules = self._description
        for each in (*rules.rules, *rules.patterns, *rules.initially, *rules.deadlines, *rules.background.clauses):
            for call in find_all(each, About):
                calls.setdefault(call.signature, []).append(call)
        return calls

    @cached_property
    def _facts(self) -> Mapping[str, Place]:
        return {str(clause.head): clause.place for clause in self._description.background.clauses if not clause.body}

    @cached_property
    def _sentences(self) -> Mapping[Signature, list[Sentence]]:
        sentences: dict[Signature, list[Sentence]] = {}
        for each in find_sentences(self._description.texts.sources):
            if isinstance(each, Sentence):
                sentences.setdefault(each.signature, []).append(each)
        return sentences

    def say(self, name: str, args: Sequence[str], value: str | None) -> str:
        """Return what the author of the rules says of a grounding, or nothing."""
        sentences = self._sentences.get(Signature(name, len(args)), ())
        return next(filter(None, (sentence.say(args, value) for sentence in sentences)), "")

    def fact_place(self, signature: Signature, args: Sequence[str]) -> Place | None:
        """Return where a fact stands: its line, or the file of its table."""
        text = goal_text((signature, tuple(args)))
        if text in self._facts:
            return self._facts[text]
        spaced = r"\s*,\s*".join(map(re.escape, args))
        fact = re.compile(rf"(?m)\b{re.escape(signature.name)}\s*\(\s*{spaced}\s*\)\s*\.")
        for source in self._description.texts.sources.values():
            match = fact.search(source.text)
            if match is not None:
                line = source.text.count("\n", 0, match.start()) + 1
                return Place(source.name, line, 1, line, 1)
        tables = (table for table in self._description.background.tables if table.signature == signature)
        return next((table.place for table in tables if table.place is not NOWHERE), None)

    def is_written(self, claim: Goal) -> bool:
        """Whether a fact stands there as it is."""
        return goal_text(claim) in self._facts

    def clause_of(self, place: Place) -> Clause | None:
        """Return the clause that was put in the place of its call, of one of its conditions."""
        return self._clauses.get(place)

    def call_of(self, clause: Clause, rule: Place | None) -> About | None:
        """Return the call that a clause stands for: one that the rule makes, if it does."""
        calls = self._calls.get(clause.signature, [])
        same_file = [call for call in calls if rule is not None and call.place.file == rule.file]
        later = [call for call in same_file if rule is not None and call.place.line >= rule.line]
        return min(later, key=lambda call: (call.place.line, call.place.column), default=next(iter(calls), None))


def goal_text(claim: Goal) -> str:
    """Write a goal as rules do."""
    (name, _), args = claim
    return f"{name}({','.join(args)})" if args else name
