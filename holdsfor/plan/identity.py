"""The identity of compiled rules: the same for the same rules, in every process and with any optimiser.

A checkpoint is known by it. A node counts by its class and by the fields that equality looks at, so that a new one
needs nothing here. A field that has its default value is left out: a new option changes the identity only of rules
that use it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from holdsfor.language.description import AS_INPUT
from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Due
from holdsfor.plan.whole_plan import Plan


def identify(made: Plan) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the digest of a plan, and of each piece of it under a name that a message can use. Facts are no part."""
    pieces: defaultdict[str, list[Any]] = defaultdict(list)
    for name, part in _pieces(made):
        pieces[name].append(_encode(part))
    digests = [(name, _digest(encoded)) for name, encoded in pieces.items()]
    return _digest(digests), tuple((name, digest[:12]) for name, digest in digests)


def _pieces(made: Plan) -> Iterator[tuple[str, Any]]:
    """Iterate over the definitions, declarations and inputs of a plan."""
    for definition in made.definitions:
        for part in definition.members:
            yield str(part.defines[0].definition), part
        yield from ((str(due.source.definition), due) for due in find_all(definition, Due))
    for closure in made.closures:
        yield from ((f"predicate {signature}", rule) for signature, rule in closure.rules)
    for domain in made.domains:
        yield f"grounding of {domain.relation.signature}", domain
    for source in made.sources:
        signature = source.input.signature
        name = f"input {signature}"
        if source.input.is_defined:
            name = str(signature._replace(name=signature.name.removesuffix(f" {AS_INPUT}")))
        yield name, (signature, source.input.kind, source.relations)  # which arguments are read follows from the rules


def _encode(part: Any) -> Any:
    if isinstance(part, tuple):
        return [_encode(item) for item in part]
    compared = _compared_fields(part.__class__)
    if compared is None:
        return part + 0.0 if isinstance(part, float) else part  # there is one zero
    values = [(name, getattr(part, name), default) for name, default in compared]
    return [type(part).__name__, *([name, _encode(value)] for name, value, default in values if value != default)]


@cache
def _compared_fields(kind: type) -> list[tuple[str, Any]] | None:
    """Return the fields that equality looks at, with their defaults; None for what is no node."""
    return [(each.name, each.default) for each in fields(kind) if each.compare] if is_dataclass(kind) else None


def _digest(encoded: Any) -> str:
    return hashlib.sha256(json.dumps(encoded, separators=(",", ":")).encode()).hexdigest()
