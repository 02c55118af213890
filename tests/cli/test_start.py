"""A command imports only what it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RULES = "initiatedAt(open(D)=true, T) :- happensAt(opens(D), T).\n"
RUN = """
import sys
sys.argv = ["holdsfor", "run", "rules.ec", "--events", "events.csv", "--engine", "local", "-o", "out"]
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


def test_that_a_run_in_process_leaves_out_what_it_does_not_need(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "events.csv").write_text("opens|3|3|front\n")
    assert python(RUN, tmp_path).splitlines()[-1] == "set()"
    assert (tmp_path / "out" / "intervals.parquet").exists()
