"""ETALIS's examples, on ETALIS and here: for how many the same events come out, at the same times.

Usage: ETALIS=<checkout of ETALIS> [SWIPL=swipl] python -m benchmarks.etalis [EXAMPLE...]

An example is a folder with scripts that call SWI-Prolog with goals that compile rules and fire events; those of
EP-SPARQL are queries, not rules, and are left out. ETALIS runs the goals one by one and tells which files and events it
was given, and when, and which events come of them. Here the same files and events are read, under the policy that the
goals set. Times are compared to the tick, those that no event was given at to the second. ETALIS waits by the clock:
all examples take some minutes.

An example agrees where all of its calls do. The others are listed with what only one side has, and with what the tests
in the goals say of both: most of the examples have one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import holdsfor

#: Runs the goals of a call one after the other, and prints a line for each thing that there is to know. Of `x_check`
#: the events are in a file, and only the goals of the test are called.
DRIVER = r"""
:- style_check(-singleton).
:- dynamic(stored_event/1), dynamic(fired_event/2).
x_tell(Parts) :- nl, write('#'), forall(member(P, Parts), (
    write_term(P, [quoted(true), ignore_ops(true), numbervars(false)]), write('\t'))), nl.
x_drive(Text) :- term_to_atom(Goal, Text), ignore(x_walk(Goal)), x_walk(halt).
x_walk((A, B)) :- !, x_walk(A), x_walk(B).
x_walk(halt) :- !, x_tell([halt]), flush_output, halt.
x_walk(open('../results.txt', append, user_output)) :- !.
x_walk(execute_event_stream_file(File)) :- !, open(File, read, In), x_goals(In), close(In).
x_walk(['../../src/etalis.P']) :- !, x_wrap.
x_walk(event(E)) :- !, x_given(E, event(E)).
x_walk(event(E, T)) :- !, x_given(E, event(E, T)).
x_walk(fire_events_java([E], L)) :- !, x_given(E, fire_events_java([E], L)).
x_walk(Goal) :- x_tell_goal(Goal), (catch(Goal, Error, (x_tell([error, Error]), fail)) -> true ; x_tell([failed])).
x_goals(In) :- read_term(In, Goal, []), (Goal == end_of_file -> true ; ignore(x_walk(Goal)), x_goals(In)).
x_tell_goal(set_etalis_flag(F, V)) :- !, x_tell([flag, F, V]).
x_tell_goal(sleep(S)) :- !, x_tell([sleep, S]).
x_tell_goal(Goal) :- Goal =.. [Name, F],
    memberchk(Name, [compile_event_file, compile_events, load_static_rules, load_database]), !, x_tell([file, F]).
x_tell_goal(Files) :- is_list(Files), !, forall(member(F, Files), x_tell([file, F])).
x_tell_goal(_).
x_wrap :- ['../../src/etalis.P'], wrap_predicate(store_event(E), told, Store, (
    (E = event(What, T) -> copy_term(What-T, C-U), numbervars(C-U, 0, _), x_tell([result, C, U]) ; true), Store)).
x_given(E, Goal) :- findall(x, fired_event(_, _), Before),
    (catch(Goal, Error, (x_tell([error, Error]), fail)) -> true ; true),
    findall(T, fired_event(_, T), All), length(Before, N), length(Skipped, N),
    ( append(Skipped, [Times|_], All), x_tell([event, E, Times]) -> true ; true ).
x_check(Text, Facts) :- term_to_atom(Goal, Text), consult(Facts), ignore(x_test(Goal)), x_walk(halt).
x_test((A, B)) :- !, x_test(A), x_test(B).
x_test(halt) :- !.
x_test(open(_, _, user_output)) :- !.
x_test(Goal) :- functor(Goal, Name, _), ( memberchk(Name, [findall, ;, ->, =]) -> ignore(Goal) ; true ).
"""
TIMEOUT = 150  # seconds
TICKS = 1_000_000  # in a second
Time: TypeAlias = int | tuple[str, int]
Event: TypeAlias = tuple[str, tuple[Time, ...]]
_CALL = re.compile(r'^\s*swipl\b.*?-g\s+"(.*?)"\s*$', re.M | re.S)
_TIME = re.compile(r"datime\((\d+),(\d+),(\d+),(\d+),(\d+),(\d+)(?:,(\d+))?\)|-?\d+")
#: Flags for policies that never detect anything.
UNUSABLE = {"recent_2", "chronological_2"}


@dataclass(slots=True)
class Call:
    """What ETALIS told of one call. stream: the events given, as a stream file; given, results: events with times."""

    goals: str
    files: list[str] = field(default_factory=list)
    policy: str = "recent"
    stream: list[str] = field(default_factory=list)
    given: set[Event] = field(default_factory=set)
    results: set[Event] = field(default_factory=set)
    test: str = "no test"
    ours: set[Event] = field(default_factory=set)
    ours_test: str = "no test"
    refusal: str = ""

    @property
    def agrees(self) -> bool:
        return not self.refusal and self.results == self.ours


def main(names: tuple[str, ...]) -> None:
    checkout = os.environ.get("ETALIS")
    if checkout is None:
        print("etalis: set ETALIS to a checkout of ETALIS, and SWIPL to SWI-Prolog if it is not in the path")
        return
    verdicts: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "etalis")
        shutil.copytree(Path(checkout, "etalis"), copy, ignore=shutil.ignore_patterns("www", "docs"))
        (copy / "driver.pl").write_text(DRIVER)
        for example in sorted((copy / "examples").iterdir()):
            if example.name.startswith("ep_sparql") or (names and example.name not in names):
                continue
            calls = [call for call in read_calls(example) if call.given and call.policy not in UNUSABLE]
            for call in calls:
                recognise(example, call)
            if calls:
                verdicts[example.name] = verdict(calls)
                report(example.name, verdicts[example.name], calls)
    for said in sorted(set(verdicts.values())):
        print(f"{sum(each == said for each in verdicts.values()):3} {said}")


def verdict(calls: list[Call]) -> str:
    """Return how an example came out, as a sentence."""
    if any(call.refusal for call in calls):
        return "are refused here"
    if all(call.agrees for call in calls):
        return "give the events of ETALIS"
    if any(call.test == "failed" for call in calls if not call.agrees):
        return "differ, and ETALIS fails its own test"
    return "differ"


def report(name: str, said: str, calls: list[Call]) -> None:
    if said.startswith("give"):
        return
    print(f"{name}: {said}")
    for call in calls:
        if call.refusal:
            print(f"  {call.refusal}")
        elif not call.agrees:
            print(f"  {call.policy}: ETALIS's test: {call.test} there, {call.ours_test} here")
            for side, events in (("ETALIS", call.results - call.ours), ("here", call.ours - call.results)):
                print(f"    only {side}: {', '.join(sorted(event for event, _ in events)) or 'nothing'}")


# ---------------------------------------------------------------- ETALIS


def read_calls(example: Path) -> Iterator[Call]:
    for script in sorted(example.glob("test*.sh.bat")):
        for goals in _CALL.findall(script.read_text(errors="replace")):
            yield read_call(Call(goals.replace("FH", "user_output")), example)


def read_call(call: Call, example: Path) -> Call:
    printed: set[str] = set()  # what ETALIS reports: it stores other events, too
    for line in prolog(example, call.goals, "x_drive(G)"):
        kind, *parts = line.removeprefix("#").rstrip("\t").split("\t")
        if line.startswith("*Event: "):
            printed.add(plain(line.removeprefix("*Event: ").rpartition(" @ ")[0]))
        elif kind == "file":
            call.files.append(parts[0].strip("'"))
        elif kind == "flag" and parts[0] == "event_consumption_policy":
            call.policy = parts[1]
        elif kind == "sleep":
            call.stream.append(f"sleep({parts[0]}).")
        elif kind == "event":
            call.stream.append(f"event({parts[0]}, {parts[1]}).")
            call.given.add((plain(parts[0]), read_times(parts[1])))
        elif kind == "result":
            call.results.add((plain(parts[0]), read_times(parts[1])))
    call.test = find_test(call.test, example)
    found = {event for event in call.results - call.given if event[0] in printed and not is_temporary(event[0])}
    call.results = {rounded(event, call) for event in found}
    return call


def is_temporary(term: str) -> bool:
    """Tell whether ETALIS has made the event up to have rules of two events."""
    return term.startswith("temp_e_")


def prolog(example: Path, goals: str, goal: str) -> list[str]:
    """Return what a call prints until it halts, which alarms of ETALIS may keep it from doing."""
    (example / "goals.txt").write_text(goals)
    begin = f"read_file_to_string('goals.txt',S,[]),atom_string(G,S),{goal}"
    command = [os.environ.get("SWIPL", "swipl"), "--traditional", "-q", "-l", "../../driver.pl", "-g", begin]
    said = example / "said.txt"
    with said.open("w") as out:
        run = subprocess.Popen(command, cwd=example, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        until = time.monotonic() + TIMEOUT
        while run.poll() is None and time.monotonic() < until and "\n#halt" not in said.read_text(errors="replace"):
            time.sleep(0.05)
        run.kill()
        run.wait()
    return said.read_text(errors="replace").splitlines()


def find_test(default: str, example: Path) -> str:
    return next(iter(re.findall(r"\b(passed|failed)$", (example / "said.txt").read_text(), re.M)), default)


def read_times(text: str) -> tuple[int, ...]:
    """Return times as ticks, as holdsfor reads them."""
    times = []
    for found in _TIME.finditer(text):
        if found[1] is None:
            times.append(int(found[0]))
        else:
            second = datetime(*map(int, found.groups()[:6]), tzinfo=UTC).timestamp()  # type: ignore[arg-type, misc]
            times.append(int(second) * TICKS + int(found[7] or 0))
    return tuple(times)


def plain(term: str) -> str:
    return re.sub(r"(\d)\.0\b", r"\1", re.sub(r"[' ]", "", term))


def rounded(event: Event, call: Call) -> Event:
    """Return the event with the second in the place of times at which none was given."""
    known = {time for _, times in call.given for time in times}
    return event[0], tuple(t if t in known or not isinstance(t, int) else ("second", t // TICKS) for t in event[1])


# ---------------------------------------------------------------- here


def recognise(example: Path, call: Call) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            rules = holdsfor.load(*(example / file for file in call.files), policy=call.policy)  # type: ignore[arg-type]
        except holdsfor.DescriptionError as error:
            call.refusal = next(line.partition(": ")[2] for line in str(error).splitlines() if ": error: " in line)
            return
        stream = holdsfor.read_events(call.stream, format="etalis")
        found = holdsfor.recognise(rules, stream, tick_unit="us").occurrences.sort_by("end")
    rows = [
        (row["event"] + (f"({','.join(map(str, row['args']))})" if row["args"] else ""), row["start"], row["end"])
        for row in found.to_pylist()
    ]
    ours = {(plain(term), (start, end)): term for term, start, end in rows}
    call.ours = {rounded(event, call) for event in ours if event not in call.given and not is_temporary(event[0])}
    date = "datime(0,0,0,0,0,0,0)"
    facts = "".join(f"stored_event(event({quoted(term)},[{date},{date}])).\n" for term in ours.values())
    (example / "ours.pl").write_text(facts)
    prolog(example, call.goals, "x_check(G,'ours.pl')")
    call.ours_test = find_test(call.ours_test, example)


def quoted(term: str) -> str:
    """Quote names that begin with capitals, which would be variables."""
    return re.sub(r"\b([A-Z]\w*)", r"'\1'", term)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
