"""Deduction over a million: triples of Turtle to facts with what RDFS entails, and the closure of a million edges.

Prints seconds of CPU, each the least of some rounds, apart for parsing and for what follows.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

import holdsfor
from holdsfor.engine.definitions.closure import closed
from holdsfor.engine.definitions.evaluate import program_once
from holdsfor.io.rdf.knowledge import TripleKnowledge
from holdsfor.io.rdf.reading import read_files
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.reading.prefixes import BUILT_IN, make_leads
from holdsfor.plan import plan

TRIPLES, EDGES = 1_000_000, 1_000_000
CLASSES, CHAIN = 1_000, 23  # a chain of 23 edges has 276 pairs: 12 for each edge
ROUNDS = 3
ASKED = ("rdf:type", "wt:within", "wt:lat")
REACH = """
reach(X, Y) :- link(X, Y).
reach(X, Y) :- link(X, Z), reach(Z, Y).
happensAt(reached(X, Y), T) :- happensAt(asked(X), T), reach(X, Y).
"""
Made = TypeVar("Made")


def main(triples: int = TRIPLES, edges: int = EDGES) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for ending, write in ((".ttl", turtle), (".nt", n_triples)):
            path = Path(folder, f"places{ending}")
            path.write_text(write(triples), encoding="utf-8")
            measure_triples(path)
    measure_closure(edges)


def measure_triples(path: Path) -> None:
    parsed, (read, namespaces) = measure(f"parse {path.name}", lambda: read_files([Source(path.name, "", path)]))
    namespaces += [("wt", "http://example.org/ont#", "")]
    leads = make_leads({prefix: namespace for prefix, namespace, _ in namespaces} | BUILT_IN)
    needed = {Signature(name, 2): None for name in ASKED}
    follows, tables = measure("what follows, as facts", lambda: TripleKnowledge(read, [], "").tables(needed, leads))
    print(f"{len(read.subjects):,} triples, {sum(map(len, tables)):,} facts: {parsed + follows:.2f} s of CPU")


def measure_closure(edges: int) -> None:
    place = np.arange(edges)
    nodes = pa.array([f"n{number}" for number in range(edges // CHAIN * (CHAIN + 1) + CHAIN + 1)])
    begin = pa.array((place // CHAIN * (CHAIN + 1) + place % CHAIN).astype(np.int32))
    end = pa.array(np.asarray(begin) + 1)
    link = pa.table([pa.DictionaryArray.from_arrays(each, nodes) for each in (begin, end)], ["from", "to"])
    _, description = measure(f"load {edges:,} edges", lambda: holdsfor.parse(REACH, facts={"link": link}))
    session = holdsfor.live(description, window=10, step=10)
    for number in range(5):
        begun = time.process_time()
        session.add(holdsfor.read_events([f"asked(n{number * 24}) @ {number * 10 + 1}"], format="terms"))
        session.advance(number * 10 + 10)
        print(f"{'  a query with the first argument':<36} {(time.process_time() - begun) * 1000:6.1f} ms of CPU")
    (large,) = program_once(plan(description)).large
    measure("their closure, as a whole", lambda: closed(large.closure, large.tables))
    print(f"{'  memory at most':<36} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:6.2f} GB")


def turtle(triples: int) -> str:
    """Write places: each with a class, a place it is in, a number, a name and a decimal."""
    head = ["@prefix ex: <http://example.org/place/> .", "@prefix wt: <http://example.org/ont#> ."]
    head += [f"@prefix {prefix}: <{namespace}> ." for prefix, namespace in BUILT_IN.items()]
    return "\n".join([*head, *(f"{s} {p} {o} ." for s, p, o in rows(triples, "ex:p{}", "wt:{}", "rdf:type"))])


def n_triples(triples: int) -> str:
    names = "<http://example.org/place/p{}>", "<http://example.org/ont#{}>", f"<{BUILT_IN['rdf']}type>"
    below, decimal = f"<{BUILT_IN['rdfs']}subClassOf>", f"<{BUILT_IN['xsd']}decimal>"
    lines = (f"{s} {p} {o} .\n" for s, p, o in rows(triples, *names))
    return "".join(lines).replace("rdfs:subClassOf", below).replace("xsd:decimal", decimal)


def rows(triples: int, place: str, name: str, type_name: str) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(1)
    below = [(name.format(f"C{n}"), "rdfs:subClassOf", name.format(f"C{rng.integers(n)}")) for n in range(1, CLASSES)]
    count = triples // 5
    kinds, within = rng.integers(0, CLASSES, count).tolist(), rng.integers(0, count, count).tolist()
    for number in range(count):
        subject = place.format(number)
        below += [
            (subject, type_name, name.format(f"C{kinds[number]}")),
            (subject, name.format("within"), place.format(within[number])),
            (subject, name.format("people"), f'"{number * 7}"'),
            (subject, name.format("name"), f'"Place {number}"'),
            (subject, name.format("lat"), f'"{number / count * 90:.4f}"^^xsd:decimal'),
        ]
    return below


def measure(label: str, work: Callable[[], Made]) -> tuple[float, Made]:
    """Prints the least of some rounds, after one to warm up; gives it with what was made."""
    taken = []
    for _ in range(ROUNDS + 1):
        begun = time.process_time()
        made = work()
        taken.append(time.process_time() - begun)
    print(f"{label:<36} {min(taken[1:]):6.2f} s of CPU")
    return min(taken[1:]), made


if __name__ == "__main__":
    main()
