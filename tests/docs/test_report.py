"""The report of measurements: how figures are found, shown, and put into documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report import BEGIN, END, LINES, Figure, Line, cell_of, put
from tests.docs.examples import ROOT

RTEC = Figure(r"RTEC ([\d.]+) s", "s")
LINE = Line("a run; by hand", "x", (Figure(r"run ([\d.,]+) s", "s"), Figure(r"hand ([\d.]+) ms", "ms", True)), RTEC)


@pytest.mark.parametrize(
    ("outputs", "cell"),
    [
        (["run 2.5 s, hand 4 ms"], "2.5 s; **4 ms**"),
        (["run 9 s, run 2.5 s, hand 4 ms", "run 1,200.0 s hand 3 ms"], "2.5 to 1,200 s; **3 to 4 ms**"),
        (["run 1 s, hand 4 ms, RTEC 51 s"], "1 s; **4 ms**; 51 s"),
    ],
)
def test_figures_are_the_least_and_the_greatest_of_all_rounds(outputs: list[str], cell: str) -> None:
    assert cell_of(LINE, outputs) == cell


def test_a_figure_that_is_not_printed_ends_the_report() -> None:
    with pytest.raises(SystemExit, match="does not print hand"):
        cell_of(LINE, ["run 2.5 s"])


def test_only_what_stands_between_the_marks_is_written(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    put(path, "new")
    assert path.read_text() == f"before\n{BEGIN}\nnew\n{END}\nafter\n"


@pytest.mark.parametrize("document", ["README.md", "docs/benchmarks.md"])
def test_the_documents_have_the_marks(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1


def test_each_line_names_a_measurement_that_is_there() -> None:
    assert all((ROOT / "benchmarks" / f"{line.module}.py").is_file() for line in LINES)
