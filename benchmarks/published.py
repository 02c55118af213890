"""Rule files that others published for RTEC: how many load, and whether those with data give RTEC's intervals.

Usage: RTEC=<checkout of RTEC> [RTECV1=<its branch RTECv1>] [GENRTEC=<akouvaras/genRTEC>]
       [AAAI2025=<Periklismant/aaai2025_supplementary>] [RTECINC=<eftsilio/Incremental_RTEC>] [SWIPL=swipl]
       python -m benchmarks.published

What has no checkout is left out. Files are read as they are, with the background knowledge that RTEC's applications or
their own folders have; where there is none, with one fact for each predicate that is missing, which is said. Files that
do not load are listed with what is wrong with them. Times are of CPU.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import holdsfor
from benchmarks.rtec import (
    DEPARTURES,
    Intervals,
    measure_rtec,
    prepared,
    report_differences,
    run_compiled,
    run_prolog,
    with_rules,
)

KNOWLEDGE = {
    "toy": ("toy/dataset/auxiliary/toy_var_domain.prolog",),
    "caviar": ("caviar/dataset/auxiliary/list-of-ids.prolog",),
    "ctm": ("ctm/dataset/auxiliary/vehicles.prolog",),
    "maritime": ("maritime/resources/auxiliary/loadStaticData.prolog", "maritime/resources/auxiliary/compare.prolog"),
    "netbill": ("netbill/dataset/auxiliary/netbill_static_generator.prolog",),
    "voting": ("voting/dataset/auxiliary/voting_static_generator.prolog",),
}
#: What genRTEC calls RTEC's applications.
GENERATED = {"acr": "caviar", "ctm": "ctm", "msa": "maritime", "net": "netbill", "vp": "voting"}
#: In the place of Prolog that asserts while it runs, the same as rules.
PREPARED = {"caviar": (Path(__file__).parents[1] / "examples/caviar/pre-processing.ec",)}
#: Of the tests of RTEC: folder of the rules, and facts and declarations beside them.
TESTED = {
    "rules/rulesV*/toy_rules_compiled.prolog": ("scenarios/toy_var_domain.prolog", "toy_declarations.prolog"),
    "rules/negotiation/*/netbill_RTEC_compiled.prolog": (
        "scenarios/negotiation/negotiation-static.prolog",
        "rules/negotiation/netbill_RTEC_declarations.prolog",
    ),
    "rules/voting/*/vopr_RTEC_compiled.prolog": (
        "scenarios/voting/voting-static.prolog",
        "rules/voting/vopr_RTEC_declarations.prolog",
    ),
    "rules/*/*/compiled_rules.prolog": (),
}
#: Of each application of the first version: end of its stream, its clock tick, and names of fluents given as intervals.
FIRST_VERSION = {
    "toy": (30, 1, ()),
    "ctm": (50_000, 1, ("abrupt_acceleration", "abrupt_deceleration", "sharp_turn")),
    "caviar": (1_007_000, 40, ()),
}
#: Where the first version differs from RTEC as it is now: docs/moving-from-rtec.md. Without these two, all is equal.
_BEGINS = "the first version lets start happen at the first point, not a tick before"
_UNDECLARED = "in the first version a value of the data that nothing declares ends the others"
#: RTEC's compiled file of ctm says of five fluents not whose they are; the others are made of them. `check` warns.
_NOT_COMPUTED = "RTEC does not compute what no cachingOrder2 names; here it counts, with a warning"
_WITHOUT_GROUNDING = (
    "unsafe_driving_style=true",
    "uncomfortable_driving_style=true",
    "high_driving_quality=true",
    "medium_driving_quality=true",
    "low_driving_quality=true",
    "driver_comfort=reducing",
    "passenger_comfort=reducing",
    "passenger_satisfaction=reducing",
)
#: A cachingOrder2 of voting's compiled file. Moved behind that of auxMotionOutcomeEvent, RTEC computes what comes here.
_TOO_EARLY = "the file's order has RTEC compute obl=false before the event that begins obl=true, so nothing ends it"
COMPILED = {
    "obl=false": _TOO_EARLY,
    "distance=true": DEPARTURES["caviar", "distance=true"],
    "sanctioned=false": DEPARTURES["voting", "sanctioned=false"],
}
DIFFERENCES = {
    "toy": {},
    "ctm": dict.fromkeys(
        (
            "internal_temperature=very_cold",
            "internal_temperature=very_warm",
            "passenger_comfort=reducing",
            "driver_comfort=reducing",
            "passenger_satisfaction=reducing",
        ),
        _UNDECLARED,
    ),
    "caviar": {
        "meeting=true": _BEGINS,
        "person=true": _BEGINS,
        "distance=true": DEPARTURES["caviar", "distance=true"],
    },
}
#: RTEC's CSV as facts, a window over all of it, and what holds.
DRIVER = """
:- use_module(library(readutil)), use_module(library(apply)), use_module(library(lists)).
:- set_prolog_flag(unknown, fail).
x_read(Intervals, File) :- open(File, read, In), repeat, read_line_to_string(In, Line),
    ( Line == end_of_file -> !, close(In)
    ; split_string(Line, "|", "", Parts), maplist(x_value, Parts, Row), x_put(Intervals, Row), fail ).
x_value(Text, Value) :- atom_string(Atom, Text), (atom_number(Atom, Value) -> true ; Value = Atom).
x_put(_, [Name, _, T|Args]) :- E =.. [Name|Args], event(E), inputEntity(E), !, assertz(happensAtIE(E, T)).
x_put(Intervals, [Name, _, Start, End, Value|Args]) :- memberchk(Name, Intervals), !,
    F =.. [Name|Args], assertz(holdsForIESI(F=Value, (Start, End))).
x_put(_, [Name, _, T, Value|Args]) :- F =.. [Name|Args], assertz(holdsAtIE(F=Value, T)).
x_tell(End) :- E is End+1, eventRecognition(End, E),
    forall((outputEntity(F=V), holdsFor(F=V, L), member((S, Stop), L)), format("~w=~w|~w|~w~n", [F, V, S, Stop])).
"""
_MISSING = re.compile(
    r"there are no facts or rules for (\w+)/(\d+)|error: (\w+)/(\d+) is an event or fluent, not a pre"
)


def main() -> None:
    rtec = checkout("RTEC")
    if rtec is None:
        print("published: set RTEC to a checkout of RTEC; the others are optional")
        return
    warnings.simplefilter("ignore")
    holdsfor.parse("a(X) <- b(X).")  # warms up
    if generated := checkout("GENRTEC"):
        files = sorted(generated.rglob("predictive_accuracy/*.prolog"))
        load_all("generated", ((file, knowledge(rtec, GENERATED[file.stem], True)) for file in files))
    load_all("compiled", compiled(rtec, checkout("AAAI2025"), checkout("RTECINC")))
    compare_compiled(rtec, checkout("AAAI2025"))
    if first := checkout("RTECV1"):
        for name in FIRST_VERSION:
            compare_first_version(name, first, rtec)


def checkout(name: str) -> Path | None:
    return Path(os.environ[name]).resolve() if name in os.environ else None


def knowledge(rtec: Path, application: str, is_whole: bool = False) -> tuple[Path, ...]:
    """Return the background knowledge of an application. is_whole: with what stands for a program that asserts."""
    files = tuple(rtec / "examples" / file for file in KNOWLEDGE[application])
    return files + PREPARED.get(application, ()) if is_whole else files


# ---------------------------------------------------------------- files that load


def compiled(rtec: Path, paper: Path | None, incremental: Path | None) -> Iterator[tuple[Path, tuple[Path, ...]]]:
    """Iterate over compiled files, each with its background knowledge."""
    for name in KNOWLEDGE:
        yield rtec / f"examples/{name}/resources/patterns/compiled_rules.prolog", knowledge(rtec, name)
    tests = rtec / "unit-tests/RTEC-tests"
    yield tests / "example/rules/example_rules_compiled.prolog", ()
    for pattern, beside in TESTED.items():
        for file in sorted(tests.glob(pattern)):
            near = tuple((file.parent if "/" not in each else tests) / each for each in beside)
            yield file, near or (knowledge(rtec, "maritime") if file.parent.name == "maritime" else ())
    for folder in sorted((paper or Path("/nowhere")).glob("*/examples/*/resources/patterns")):
        near = knowledge(rtec, "maritime") if "maritime" in folder.parts else ()
        for name in ("optimised_event_description", "sfs_exec"):
            if (file := folder / f"{name}.prolog").exists():
                yield file, near
    for file in sorted((incremental or Path("/nowhere")).glob("examples/*/patterns_compiled_inc.prolog")):
        # loadStaticData names the others; of the maritime folders, one of them is too large for some copies
        facts = sorted(each for each in file.parent.glob("data/static_data/**/*.prolog") if "load" not in each.name)
        yield file, (file.parent / "declarations.prolog", *facts)


def load_all(title: str, files: Iterable[tuple[Path, tuple[Path, ...]]]) -> None:
    loaded, times, with_facts = [], [], []
    refused = 0
    for file, near in files:
        begun = time.process_time()
        error = load_error(file, *near)
        missing = sorted({(m[1] or m[3], int(m[2] or m[4])) for m in _MISSING.finditer(error)})
        if missing:
            begun = time.process_time()
            error = load_with_facts(file, near, missing)
        if error:
            refused += 1
            print(f"  {short(file)} does not load:")
            print(
                "".join(
                    f"    {line.rpartition(': error: ')[2]}\n" for line in error.splitlines() if ": error: " in line
                )
            )
            continue
        loaded.append(file)
        times.append((time.process_time() - begun, file.stat().st_size))
        with_facts += [short(file)] if missing else []
    slowest, size = max(times)
    print(
        f"{title}: {len(loaded)} of {len(loaded) + refused} load; the slowest, of {size:,} bytes, takes {slowest:.2f} s"
    )
    if with_facts:
        print(f"  with a fact for each predicate that nothing defines: {', '.join(with_facts)}")


def load_error(*files: Path) -> str:
    try:
        holdsfor.load(*files)
    except holdsfor.DescriptionError as error:
        return str(error)
    return ""


def load_with_facts(file: Path, near: tuple[Path, ...], missing: list[tuple[str, int]]) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".prolog") as facts:
        for name, arity in missing:
            facts.write(f"{name}({', '.join(map(str, range(arity)))}).\n")
        facts.flush()
        return load_error(file, *near, Path(facts.name))


def short(file: Path) -> str:
    """Return the last parts of a path, which tell files of a name apart."""
    return "/".join(part for part in file.parts[-6:] if part not in ("resources", "patterns", "examples"))


def compare_compiled(rtec: Path, paper: Path | None) -> None:
    """Let RTEC and holdsfor run the compiled files of applications whose data lie beside them."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "rtec")
        shutil.copytree(rtec, copy, ignore=shutil.ignore_patterns(".git"))
        for name in ("toy", "caviar", "ctm", "voting"):
            defaults = prepared(name, copy)
            patterns = f"examples/{name}/resources/patterns"
            files = [
                rtec / patterns / "compiled_rules.prolog",
                *sorted((paper or rtec).glob(f"*/{patterns}/[os]*.prolog")),
            ]
            for file in files:
                theirs = measure_rtec(name, defaults, copy, file).intervals
                ours = run_compiled(file, with_rules(name, defaults))
                print(f"compiled, {name}, {file.name}: {len(theirs):,} intervals of RTEC, {len(ours):,} here")
                undeclared = name == "ctm" and file.is_relative_to(rtec)
                report_differences(
                    dict.fromkeys(_WITHOUT_GROUNDING, _NOT_COMPUTED) if undeclared else COMPILED, theirs, ours
                )


# ---------------------------------------------------------------- the first version


def compare_first_version(name: str, first: Path, rtec: Path) -> None:
    """Give RTEC's first version and holdsfor the same rules, declarations and rows."""
    end, tick, intervals = FIRST_VERSION[name]
    folder = first / "examples" / name / "resources"
    rules = [next(folder.glob("patterns/*.patterns")), next(folder.glob("patterns/*_declarations.prolog"))]
    near = knowledge(rtec, name)
    rows = sorted((rtec / "examples" / name / "dataset/csv").glob("*.csv"))
    history = holdsfor.recognise(
        holdsfor.load(*rules, *near, *PREPARED.get(name, ())),
        holdsfor.read_events([str(file) for file in rows], format="rtec"),
        window=end,
        step=end,
        start=0,
        end=end,
        sample_every=tick,
    )
    ours = {
        (f"{row['fluent']}({','.join(map(str, row['args']))})={row['value']}", row["start"], row["end"])
        for row in history.intervals.to_pylist()
    }
    theirs = run_first_version(name, first, [rules[1], *near], rows, end, tick, intervals)
    print(f"first version, {name}: {len(theirs):,} intervals of RTEC, {len(ours):,} here")
    report_differences(DIFFERENCES[name], theirs, ours)


def run_first_version(
    name: str, first: Path, near: list[Path], rows: list[Path], end: int, tick: int, intervals: tuple[str, ...]
) -> Intervals:
    patterns = first / "examples" / name / "resources"
    prepare = list(patterns.glob("auxiliary/pre-processing.prolog"))
    files = [first / "src/RTEC.prolog", next(patterns.glob("patterns/*compiled*")), *near, *prepare]
    with tempfile.NamedTemporaryFile("w", suffix=".prolog") as driver:
        driver.write(DRIVER)
        driver.flush()
        consult = ",".join(f"consult('{file}')" for file in [*files, driver.name])
        read = ",".join(f"x_read([{','.join(intervals)}],'{file}')" for file in rows)
        begin = f"initialiseRecognition(unordered,{'preprocessing' if prepare else 'nopreprocessing'},{tick})"
        told = run_prolog(["-g", f"{consult},{begin},{read},x_tell({end}),halt."], first / "src")
    found: Intervals = set()
    for line in told.splitlines():
        if line.count("|") == 2:
            fluent, start, stop = line.replace(" ", "").split("|")
            # its window begins before 0, and open intervals may end after the window
            found.add((fluent, max(int(start), tick if tick > 1 else 1), None if stop == "inf" else int(stop)))
    return found


if __name__ == "__main__":
    main()
