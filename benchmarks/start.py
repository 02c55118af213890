"""How soon a command answers: cold processes, what they import, and which kernels they compile (there must be none)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.maritime import with_compiled_modules

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
FACTS = "vesselType(v1,fishing). typeSpeed(fishing,1.0,9.0,5.0). areaType(a1,nearCoast).\n"
EVENTS = """velocity|30|30|v1|12.5|10.0|20.0
entersArea|10|10|v1|a1
slow_motion_start|40|40|v1
proximity|90|35|90|true|v1|v2
"""
#: Runs a command in this process, and tells how many modules were imported, and what was compiled.
PROGRAM = """
import sys
compiled = []
def watch():
    from numba.core import event
    class Listener(event.Listener):
        def on_start(self, told): compiled.append(str(told.data["dispatcher"].py_func.__qualname__))
        def on_end(self, told): pass
    event.register("numba:compile", Listener())
if sys.argv[1] == "watch":
    watch()
from holdsfor.cli import app
try:
    app(sys.argv[2:])
except SystemExit as end:
    print(len(sys.modules), ",".join(compiled) or "none", file=sys.stderr)
    sys.exit(end.code)
"""
ROUNDS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        facts, events = Path(folder, "facts.ec"), Path(folder, "events.csv")
        facts.write_text(FACTS)
        events.write_text(EVENTS)
        rules = [str(EXAMPLE / "rules.ec"), str(EXAMPLE / "background.ec"), str(facts)]
        run = ["run", *rules, "--events", str(events), "--engine", "local", "-o", str(Path(folder, "out"))]
        run_command(run)  # the first process may compile: then its kernels are on disk
        for arguments in (["--help"], ["check", *rules], run):
            seconds = min(measure_command(arguments) for _ in range(ROUNDS))
            modules = run_command(arguments)[0]
            print(f"holdsfor {arguments[0]:<8} {seconds:6.2f} s, {modules} modules")
        compiled = run_command(run, "watch")[1]
    print(f"kernels compiled by a second process: {compiled}")
    if compiled != "none":
        raise SystemExit("a kernel was not found ready, though an earlier process had left it on disk")


def run_command(arguments: Sequence[str], way: str = "plain") -> tuple[int, str]:
    """Return the number of modules that a command imports, and the kernels that it compiles."""
    command = [sys.executable, "-c", PROGRAM, way, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=with_compiled_modules())
    told = done.stderr.splitlines()[-1]
    modules, compiled = told.split(" ", 1)
    return int(modules), compiled


def measure_command(arguments: Sequence[str]) -> float:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "holdsfor", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=with_compiled_modules())
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
