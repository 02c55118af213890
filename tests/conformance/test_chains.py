"""Chains of four intervals: Allen's relations by patterns, as many as three nested loops count."""

from __future__ import annotations

import json
from itertools import pairwise

import holdsfor
from tests.recorded import RECORDED

CHAINS = RECORDED / "allen-chain.json"
Span = tuple[int, int]

#: [start, end) as the event from start to end: what meets shares a point, what has time in common is PAR.
LINK = """
{link}(S, T) <- {x}(S, _) MEETS {y}(T, _).
{link}(S, T) <- {x}(S, E) PAR {y}(T, F) WHERE (S < T, E < F).
{link}(S, T) <- {x}(S, E) PAR {y}(T, F) WHERE (T < S, F < E).
{link}(S, T) <- {x}(S, _) STARTS {y}(T, _).
{link}(S, T) <- {y}(T, _) STARTS {x}(S, _).
{link}(S, T) <- {y}(T, _) DURING {x}(S, _).
"""
CHAIN = "chain(A, B, C, D) <- link1(A, B) AND link2(B, C) AND link3(C, D)."


def is_link(x: Span, y: Span) -> bool:
    (start, end), (other_start, other_end) = x, y
    return (
        end == other_start
        or start < other_start < end < other_end
        or other_start < start < other_end < end
        or (start == other_start and end != other_end)
        or (start < other_start and other_end < end)
    )


def list_chains(series: list[list[Span]]) -> set[tuple[str, ...]]:
    """The starts of the intervals of each chain; of one series no two start together."""
    chains = [(span,) for span in series[0]]
    for spans in series[1:]:
        chains = [(*chain, span) for chain in chains for span in spans if is_link(chain[-1], span)]
    return {tuple(str(start) for start, _ in chain) for chain in chains}


def test_chains_of_four_intervals() -> None:
    golden = json.loads(CHAINS.read_text())
    names = sorted(golden["intervals"])
    links = [LINK.format(link=f"link{number}", x=x, y=y) for number, (x, y) in enumerate(pairwise(names), 1)]
    events = [f"{name}({s},{e}) @ [{s},{e}]" for name in names for s, e in golden["intervals"][name]]
    description = holdsfor.parse("\n".join([*links, CHAIN]))
    result = holdsfor.recognise(description, holdsfor.read_events(events, format="terms"))
    chains = [tuple(row["args"]) for row in result.occurrences.to_pylist() if row["event"] == "chain"]
    assert len(chains) == golden["expected_chains"]
    assert set(chains) == list_chains([[tuple(span) for span in golden["intervals"][name]] for name in names])
