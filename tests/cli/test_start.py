"""A command imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RULES = "initiatedAt(open(D)=true, T) :- happensAt(opens(D), T).\n"
RUN = """
import sys
sys.argv = ["holdsfor", *COMMAND.split(), "--engine", "local"]
from holdsfor.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code
print({"pandas", "cffi", "pyspark"} & set(sys.modules))
"""


def python(code: str, folder: Path) -> str:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_that_the_command_line_itself_needs_no_library_of_data(tmp_path: Path) -> None:
    told = python("import sys, holdsfor.cli; print({'numpy', 'pyarrow', 'lark', 'numba'} & set(sys.modules))", tmp_path)
    assert told == "set()\n"


STREAM = "stream rules.ec --from in --once --start 0 --window 4 --step 2 --checkpoint state"


@pytest.mark.parametrize(
    ("command", "made"),
    [("run rules.ec --events in/events.csv -o out", "out/intervals.parquet"), (STREAM, "state/tables/stream.json")],
)
def test_that_what_is_done_in_process_leaves_out_what_it_does_not_need(command: str, made: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "in" / "events.csv").write_text("opens|3|3|front\n")
    assert python(f"COMMAND = {command!r}\n{RUN}", tmp_path).splitlines()[-1] == "set()"
    assert (tmp_path / made).exists()
