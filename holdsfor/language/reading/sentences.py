"""Sentences beside rules, for people: `%! "{A} and {B} met at sea" rendezVous(A,B).` RTEC reads them as comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdsfor.language.diagnostics import Source
from holdsfor.language.terms import Place, Signature, quoted

_MARKED = re.compile(r"(?m)^[ \t]*%![ \t]*(?P<rest>\S.*?)[ \t\r]*$")
_SENTENCE = re.compile(
    r'"(?P<text>[^"]*)"\s+(?P<name>[a-z]\w*)(?:\((?P<args>.*)\))?\s*(?:=\s*(?P<value>[^\s=.]+|\'[^\']*\'))?\s*\.\Z'
)
_HOLE = re.compile(r"\{(\w+)\}")
_ARGUMENT = re.compile(r"""\s*((?:'[^']*'|\((?:[^()]|\([^()]*\))*\)|[^,'()])+)\s*(?:,|\Z)""")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about an event, or about a fluent with a value (None: any). Arguments are variables or terms."""

    text: str
    name: str
    args: tuple[str, ...]
    value: str | None
    place: Place

    @property
    def signature(self) -> Signature:
        return Signature(self.name, len(self.args))

    @property
    def unknown(self) -> list[str]:
        """Return the variables of the text that the head does not have."""
        return [name for name in _HOLE.findall(self.text) if name not in (*self.args, self.value)]

    def say(self, args: Sequence[str], value: str | None) -> str | None:
        """Return the sentence about a grounding; None if it is about another one."""
        pairs = list(zip(self.args, args, strict=True))
        if self.value is not None and value is not None:
            pairs.append((self.value, value))
        values: dict[str, str] = {}
        for mine, theirs in pairs:
            is_open = mine[0].isupper() or mine[0] == "_"
            if theirs != (values.setdefault(mine, theirs) if is_open and mine != "_" else theirs if is_open else mine):
                return None
        return _HOLE.sub(lambda hole: values.get(hole[1], "_").strip("'"), self.text)


def find_sentences(sources: Mapping[str, Source]) -> Iterator[Sentence | Place]:
    """Iterate over the sentences of rule files; a place where one cannot be read."""
    for source in sources.values():
        for marked in _MARKED.finditer(source.text):
            place = source.place(*marked.span("rest"))
            read = _SENTENCE.match(marked["rest"])
            if read is None:
                yield place
                continue
            args = tuple(_canonical(one) for one in _ARGUMENT.findall(read["args"] or ""))
            yield Sentence(read["text"], read["name"], args, read["value"] and _canonical(read["value"]), place)


def _canonical(argument: str) -> str:
    """Return a name as Holdsfor writes it: without quotes where it needs none."""
    argument = argument.strip()
    return quoted(argument[1:-1]) if len(argument) > 1 and argument[0] == argument[-1] == "'" else argument
