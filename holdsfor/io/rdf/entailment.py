"""Entailments of triples by RDFS, over codes: subproperties, subclasses, domains and ranges (rdfs2, 3, 5, 7, 9, 11)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from holdsfor.io.columns.text import Mask
from holdsfor.io.events import Ints
from holdsfor.io.rdf.reading import Codes, Triples
from holdsfor.kernels.rows.holding import member_mask
from holdsfor.kernels.rows.joining import expand
from holdsfor.kernels.rows.moving import compress, merge_sorted, unique_sorted
from holdsfor.language.reading.prefixes import BUILT_IN, TYPE

#: Pairs of numbers as keys, sorted, each once.
Pairs = Ints
_BITS = 32
_NONE = np.empty(0, np.int64)
_SUBPROPERTY, _SUBCLASS, _DOMAIN, _RANGE = (
    BUILT_IN["rdfs"] + name for name in ("subPropertyOf", "subClassOf", "domain", "range")
)


def pairs(heads: Codes, tails: Codes) -> Pairs:
    return unique_sorted(np.sort((heads.astype(np.int64) << _BITS) | tails))


def left(of: Pairs) -> Codes:
    return (of >> _BITS).astype(np.int32)


def right(of: Pairs) -> Codes:
    return (of & 0xFFFFFFFF).astype(np.int32)


def joined(edges: Pairs, onwards: Pairs) -> Pairs:
    """Return (a, c) of all (a, b) in the edges and (b, c) onwards."""
    middle = right(edges).astype(np.int64)
    low, high = np.searchsorted(onwards, middle << _BITS), np.searchsorted(onwards, (middle + 1) << _BITS)
    rows, places = expand(low, high)
    return pairs(left(edges)[rows], right(onwards)[places])


def closed(edges: Pairs) -> Pairs:
    """Return the transitive closure: each round from what the last one added."""
    reached = fresh = edges
    while len(fresh):
        further = joined(fresh, edges)
        fresh = compress(further, ~member_mask(further, reached))
        reached = merge_sorted(reached, fresh)
    return reached


class Entailment:
    """Triples with what they entail. A property, domain or class may be a matter of the schema's own properties."""

    def __init__(self, triples: Triples) -> None:
        self._triples = triples
        self._type, self._subproperty, self._subclass = map(triples.find, (TYPE, _SUBPROPERTY, _SUBCLASS))
        self._domain, self._range = map(triples.find, (_DOMAIN, _RANGE))
        self._superproperties = self._superclasses = self._types = _NONE
        before = -1
        while before < (now := len(self._superproperties) + len(self._superclasses) + len(self._types)):
            before = now
            self._superproperties = closed(self._pairs(self._subproperty))
            self._superclasses = closed(self._pairs(self._subclass))
            if self._is_about_itself():
                self._types = self._with_superclasses(self._stated_types())
        self._has_types = len(self._types) > 0

    @property
    def types(self) -> Pairs:
        """Return members and classes, perhaps without classes above them; looked for when first asked for."""
        if not self._has_types:
            self._types, self._has_types = self._stated_types(), True
        return self._types

    def pairs(self, property_number: int) -> Pairs:
        """Return subjects and objects of a property."""
        if property_number == self._type:
            return self._with_superclasses(self.types)
        return self._pairs(property_number)

    def members(self, classes: Collection[int]) -> Pairs:
        """Return members and classes, of these classes only."""
        parts = [_NONE]
        for each in classes:
            below = self._below(self._superclasses, each)
            members = left(self.types)[below[right(self.types)]]
            parts.append(pairs(members, np.full(len(members), each, np.int32)))
        return unique_sorted(np.sort(np.concatenate(parts)))

    def _pairs(self, number: int) -> Pairs:
        """Return subjects and objects of a property and of those below it; types as far as they are known."""
        if number < 0:
            return _NONE
        triples, below = self._triples, self._below(self._superproperties, number)
        rows = np.flatnonzero(below[triples.properties])
        parts = pairs(triples.subjects[rows], triples.objects[rows])
        derived = (
            (self._type, self._types),
            (self._subclass, self._superclasses),
            (self._subproperty, self._superproperties),
        )
        more = [each for number, each in derived if number >= 0 and below[number] and len(each)]
        return unique_sorted(np.sort(np.concatenate([parts, *more]))) if more else parts

    def _below(self, above: Pairs, top: int) -> Mask:
        """Mark a node and all below it."""
        mask = np.zeros(len(self._triples.nodes), np.bool_)
        mask[top] = True
        mask[left(above)[right(above) == top]] = True
        return mask

    def _stated_types(self) -> Pairs:
        """Return types that triples have, and those by domain and range, before those by subclass."""
        triples, is_literal = self._triples, self._triples.are_literals
        domains, ranges = self._inherited(self._domain), self._inherited(self._range)
        parts = [self._pairs(self._type), self._types]
        parts += self._by_schema(domains, triples.properties, triples.subjects)
        resources = np.flatnonzero(~is_literal[triples.objects])
        parts += self._by_schema(ranges, triples.properties[resources], triples.objects[resources])
        members, classes = left(self._types), right(self._types)
        classes = classes[~is_literal[classes]]
        parts += self._by_schema(domains, np.full(len(members), self._type), members)
        parts += self._by_schema(ranges, np.full(len(classes), self._type), classes)
        return unique_sorted(np.sort(np.concatenate(parts)))

    def _inherited(self, number: int) -> Pairs:
        """Return properties with their domains or ranges, and those of the properties above them."""
        own = self._pairs(number)
        return unique_sorted(np.sort(np.concatenate([own, joined(self._superproperties, own)])))

    def _by_schema(self, classes: Pairs, properties: npt.NDArray[np.signedinteger], members: Codes) -> list[Pairs]:
        """Return members with the classes that their properties ask for."""
        parts = []
        for each in np.unique(left(classes)).tolist():
            own = np.unique(members[properties == each])
            parts += [pairs(own, np.full(len(own), c, np.int32)) for c in right(classes[left(classes) == each])]
        return parts

    def _with_superclasses(self, types: Pairs) -> Pairs:
        return unique_sorted(np.sort(np.concatenate([types, joined(types, self._superclasses)])))

    def _is_about_itself(self) -> bool:
        """Whether the schema says something about its own properties, so that what follows may change it."""
        own = [self._type, self._subproperty, self._subclass, self._domain, self._range]
        about = (self._superproperties, self._pairs(self._domain), self._pairs(self._range))
        return any(bool(np.isin(own, left(each)).any()) for each in about)
