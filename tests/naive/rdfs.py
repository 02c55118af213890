"""RDFS as its rules are printed (rdfs2, 3, 5, 7, 9, 11): applied to a set of triples until nothing new comes out."""

from __future__ import annotations

from collections.abc import Iterator

Triple = tuple[str, str, str]
TYPE, BELOW, UNDER, DOMAIN, RANGE = "rdf:type", "rdfs:subClassOf", "rdfs:subPropertyOf", "rdfs:domain", "rdfs:range"


def entail(triples: set[Triple]) -> set[Triple]:
    known = set(triples)
    while True:
        fresh = set(_steps(known)) - known
        if not fresh:
            return known
        known |= fresh


def _steps(known: set[Triple]) -> Iterator[Triple]:
    for a, p, b in known:
        for c, q, d in known:
            if q == DOMAIN and p == c:
                yield a, TYPE, d  # rdfs2
            if q == RANGE and p == c and not b.startswith('"'):
                yield b, TYPE, d  # rdfs3
            if p == q == UNDER and b == c:
                yield a, UNDER, d  # rdfs5
            if q == UNDER and p == c:
                yield a, d, b  # rdfs7
            if p == TYPE and q == BELOW and b == c:
                yield a, TYPE, d  # rdfs9
            if p == q == BELOW and b == c:
                yield a, BELOW, d  # rdfs11
