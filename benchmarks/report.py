"""Run the measurements of the README, and write what they print into README.md and docs/benchmarks.md.

Usage: [RTEC=<checkout of RTEC> [SWIPL=swipl]] python -m benchmarks.report [--rounds 3] [--only NAME...] [--small]

Each measurement is a process of its own, run in turns with the others, so that a busy minute of the machine does not
meet one of them alone. A figure is the least and the greatest of all rounds. --small takes few rows, to try the script;
it prints, and writes nothing. With full sizes and three rounds it takes about 40 minutes of a machine that does nothing
else; ten minutes more with RTEC.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- written by python -m benchmarks.report -->", "<!-- end of what benchmarks.report writes -->"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in the output of a measurement. pattern: has it as its only group; the last match counts."""

    pattern: str
    unit: str
    is_bold: bool = False  # the better one, where it is not ours


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: what is measured, by which module, and its figures, in the order of the words."""

    what: str
    module: str
    figures: tuple[Figure, ...]
    optional: Figure | None = None  # only where RTEC is at hand


SECONDS = r"([\d.]+) s"
LINES = (
    Line(
        "10M events, Parquet to Parquet, Spark `local[2]`, warm; memory of driver and workers",
        "spark_batch",
        (Figure(rf"run \d+:\s+{SECONDS}", "s"), Figure(r"together: ([\d.]+) GB", "GB")),
    ),
    Line(
        "one more event and a query time, 330,000 events in the window, in a session; in a stream with a checkpoint",
        "live",
        (
            Figure(r"a session: .*?then ([\d.,]+) ms", "ms"),
            Figure(r"a stream in this process.*?then ([\d.,]+) ms", "ms"),
        ),
    ),
    Line(
        "1M rows of RTEC's CSV, cold process to Parquet; in a warm one; RTEC, once",
        "maritime",
        (
            Figure(rf"cold, command line to Parquet\s+{SECONDS}", "s"),
            Figure(rf"warm, recognise \(with reading\)\s+{SECONDS}", "s"),
        ),
        Figure(rf"RTEC, reading and recognition\s+{SECONDS}", "s"),
    ),
    Line("1M events in memory, 5,000 vessels, one core", "engine", (Figure(r"5,000 vessels:\s+([\d.]+) ms", "ms"),)),
    Line(
        "three fluents that depend on each other, 1M events; a hand-written state machine",
        "cyclic",
        (
            Figure(r" 5,000 keys: .*from rules\s+([\d.]+) ms", "ms"),
            Figure(r" 5,000 keys: by hand\s+([\d.]+) ms", "ms", True),
        ),
    ),
    Line("3M flights from Parquet, four rules, warm", "flights", (Figure(rf"with reading\s+{SECONDS}", "s"),)),
    Line(
        "why a fact holds among 1M rows; why one does not; `holdsfor why` in a process of its own",
        "why",
        tuple(
            Figure(rf"{asked}\s+clock\s+p50\s+([\d.]+) ms", "ms")
            for asked in ("why, warm", "why not, warm", "why, cold")
        ),
    ),
    Line(
        "a command on four rows, kernels cached: `holdsfor check`; `holdsfor run`",
        "start",
        (Figure(rf"holdsfor check\s+{SECONDS}", "s"), Figure(rf"holdsfor run\s+{SECONDS}", "s")),
    ),
)
SMALL = {
    "spark_batch": ("100000",),
    "maritime": ("200", "20000"),
    "flights": ("50000",),
    "why": ("200", "20000", "20"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[line.module for line in LINES])
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    machine = describe_machine()
    lines = [line for line in LINES if line.module in options.only]
    outputs: dict[str, list[str]] = defaultdict(list)
    for number in range(options.rounds):
        for line in lines:
            print(f"round {number + 1}: {line.module}", file=sys.stderr)
            outputs[line.module].append(run(line.module, SMALL.get(line.module, ()) if options.small else ()))
    table = render_table(lines, outputs)
    report = "\n".join([f"{machine}, {options.rounds} rounds.\n", table, *details(outputs)])
    if options.small or len(lines) < len(LINES):
        print(report)
        return
    put(ROOT / "README.md", f"{table}\n\n{machine}, least and greatest of {options.rounds} rounds.")
    put(ROOT / "docs" / "benchmarks.md", report)


def run(module: str, arguments: Sequence[str]) -> str:
    """Return what a measurement prints."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"benchmarks.{module} has failed:\n{done.stderr}")
    return done.stdout


def render_table(lines: Sequence[Line], outputs: Mapping[str, Sequence[str]]) -> str:
    rows = [f"| {line.what} | {cell_of(line, outputs[line.module])} | {command_of(line)} |" for line in lines]
    return "\n".join(["| 21 fluents over simulated vessels | | run it |", "|---|---|---|", *rows])


def command_of(line: Line) -> str:
    return f"`{'RTEC=... ' if line.optional else ''}python -m benchmarks.{line.module}`"


def cell_of(line: Line, outputs: Sequence[str]) -> str:
    """Write the figures of a line: the least and the greatest of all rounds."""
    figures = [*line.figures, *([line.optional] if line.optional else [])]
    found = [(figure, numbers_of(figure, outputs)) for figure in figures]
    missing = [figure.pattern for figure, numbers in found if not numbers and figure is not line.optional]
    if missing:
        raise SystemExit(f"benchmarks.{line.module} does not print {missing[0]}:\n{outputs[0]}")
    return "; ".join(shown(figure, numbers) for figure, numbers in found if numbers)


def numbers_of(figure: Figure, outputs: Sequence[str]) -> list[float]:
    matches = [re.findall(figure.pattern, output, re.DOTALL) for output in outputs]
    return sorted(float(found[-1].replace(",", "")) for found in matches if found)


def shown(figure: Figure, numbers: Sequence[float]) -> str:
    least, greatest = (f"{number:,.10g}" for number in (numbers[0], numbers[-1]))
    text = f"{least} {figure.unit}" if least == greatest else f"{least} to {greatest} {figure.unit}"
    return f"**{text}**" if figure.is_bold else text


def details(outputs: Mapping[str, Sequence[str]]) -> list[str]:
    """Write what the first round of each measurement prints."""
    parts = ["\n## What they print", "\nThe first round, as it was printed."]
    for module, printed in outputs.items():
        parts.append(f"\n### {module}\n\n```text\n{printed[0].rstrip()}\n```")
    return parts


def describe_machine() -> str:
    """Name processor, cores, memory, Python, day and commit."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"model name\s*: (.+)", info.read_text()) if info.exists() else []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    commit = git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain", "-uno") else "")
    return (
        f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores, {memory:.0f} GB, "
        f"Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}, commit {commit}, "
        f"load {os.getloadavg()[0]:.1f} at the start"
    )


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def put(path: Path, text: str) -> None:
    """Replace what stands between the marks of a document."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no marks: {BEGIN} ... {END}")
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
