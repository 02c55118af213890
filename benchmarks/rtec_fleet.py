"""A simulated fleet as files of RTEC's: a stream as CSV, rules and background knowledge as Prolog.

RTEC gets the rules of examples/maritime without what it has no words for (declared inputs, output events), and with
what it must be told: which groundings there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from examples.maritime.simulate import START, Simulation

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
#: The columns that the arguments of each event come from.
ARGUMENTS = {"velocity": ("vessel", "speed", "course", "heading")} | dict.fromkeys(
    ("entersArea", "leavesArea"), ("vessel", "area")
)
STATES = """lowSpeed changingSpeed underWay drifting highSpeedNearCoast anchoredOrMoored loitering trawlSpeed
trawlingMovement trawling illegalFishing sarMovement searchAndRescue tuggingSpeed"""
OF_VESSELS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(STATES.split(), ("true",)),
    "gap": ("nearPorts", "farFromPorts"),
    "stopped": ("nearPorts", "farFromPorts"),
    "movingSpeed": ("below", "normal", "above"),
}
OF_PAIRS = ("proximity", "tugging", "rendezVous", "pilotBoarding")


@dataclass(frozen=True, slots=True)
class RtecFiles:
    """Files of one stream. rules, background: as both systems read them, in this order."""

    events: Path
    rules: Path
    background: Path
    last: int


def write_fleet(simulation: Simulation, folder: Path) -> RtecFiles:
    """Write stream, rules and background to a folder. Times count from the start of the simulation."""
    folder.mkdir(parents=True, exist_ok=True)
    files = RtecFiles(folder / "fleet.csv", folder / "rules.prolog", folder / "background.prolog", _last(simulation))
    files.events.write_text("\n".join(_lines(simulation.table).to_pylist()) + "\n", encoding="utf-8")
    files.rules.write_text(_rules() + "\n".join(_groundings()) + "\n", encoding="utf-8")
    text = (EXAMPLE / "background.ec").read_text(encoding="utf-8")
    domains = "\n".join(_domains(simulation.table))
    files.background.write_text(f"{text}\n{simulation.facts}\n{domains}\n", encoding="utf-8")
    return files


def _last(simulation: Simulation) -> int:
    return int(pc.max(simulation.table["arrival"]).as_py()) - START + 1


def _lines(table: pa.Table) -> pa.ChunkedArray:
    """Write each row as RTEC's CSV: `name|arrival|time|arguments`, a fluent with its start, end and value."""
    parts = []
    for name in table["event"].unique().to_pylist():
        rows = table.filter(pc.equal(table["event"], name))
        times = [pc.cast(pc.subtract(rows[key], START), pa.string()) for key in ("arrival", "time")]
        if name == "proximity":
            ends = pc.cast(pc.subtract(rows["end"], START), pa.string())
            columns = [name, times[0], times[1], ends, "true", _text(rows["vessel"]), _text(rows["other"])]
        else:
            columns = [name, *times, *(_text(rows[key]) for key in ARGUMENTS.get(name, ("vessel",)))]
        parts.append(pa.table({"line": pc.binary_join_element_wise(*columns, "|"), "arrival": rows["arrival"]}))
    return pa.concat_tables(parts).sort_by("arrival")["line"]


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(column, pa.string())


def _rules() -> str:
    """Return the rules on fluents: clauses of other heads are left out."""
    text = (EXAMPLE / "rules.ec").read_text(encoding="utf-8")
    clauses = [clause.strip() for clause in _without_comments(text).split(".\n")]
    kept = [clause for clause in clauses if clause.startswith(("initiatedAt", "terminatedAt", "holdsFor", "initially"))]
    return "".join(f"{clause}.\n\n" for clause in kept)


def _without_comments(text: str) -> str:
    return "\n".join(line.partition("%")[0].rstrip() for line in text.splitlines()) + "\n"


def _groundings() -> list[str]:
    """Say which groundings there are, and that readings of proximity are intervals already."""
    of_vessels = [
        f"grounding({name}(V)={value}) :- vessel(V)." for name, values in OF_VESSELS.items() for value in values
    ]
    of_pairs = [f"grounding({name}(V,W)=true) :- vpair(V,W)." for name in OF_PAIRS]
    areas = "grounding(withinArea(V,Kind)=true) :- vessel(V), areaKind(Kind)."
    return [*of_vessels, *of_pairs, areas, "collectIntervals(proximity(_,_)=true)."]


def _domains(table: pa.Table) -> list[str]:
    """List vessels, pairs and kinds of areas, as the groundings name them."""
    near = table.filter(pc.equal(table["event"], "proximity"))
    met = set(zip(near["vessel"].to_pylist(), near["other"].to_pylist(), strict=True))
    pairs = sorted(met) or [("nobody", "nobody")]  # few vessels may never meet, and the groundings ask for pairs
    kinds = ("nearPorts", "anchorage", "fishing", "natura", "nearCoast")
    return [
        *(f"vessel({name})." for name in sorted(table["vessel"].unique().to_pylist())),
        *(f"vpair({first},{second})." for first, second in pairs),
        *(f"areaKind({kind})." for kind in kinds),
    ]
