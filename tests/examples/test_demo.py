"""The demonstration runs, prints what it found and leaves tables and a page behind."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from examples.maritime import demo
from holdsfor.errors import HoldsforError


def check(folder: Path, printed: str) -> None:
    assert "100,000 events of 200 simulated vessels" in printed
    for fluent in demo.FINDINGS:
        assert f"{fluent} " in printed
    assert (folder / "timeline.html").as_uri() in printed
    assert "rendezVous" in (folder / "timeline.html").read_text("utf-8")
    intervals = pq.read_table(folder / "intervals.parquet")
    assert intervals.column_names == ["fluent", "args", "value", "start", "end"]
    assert intervals.num_rows > 5000
    assert pq.read_table(folder / "occurrences.parquet").num_rows > 10


def test_demo_in_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo.main(tmp_path, engine="local")
    check(tmp_path, capsys.readouterr().out)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_demo_on_spark_finds_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo.main(tmp_path / "spark", engine="spark")
    check(tmp_path / "spark", capsys.readouterr().out)
    demo.main(tmp_path / "local", engine="local")
    for name in ("intervals", "occurrences"):
        rows = [pq.read_table(tmp_path / engine / f"{name}.parquet").to_pylist() for engine in ("spark", "local")]
        assert sorted(map(repr, rows[0])) == sorted(map(repr, rows[1]))


def test_unknown_engine(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="no engine 'quantum'"):
        demo.main(tmp_path, engine="quantum")
