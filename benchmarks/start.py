"""How soon a process recognises: from the start of Python to the first result, kernels cached on disk."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
PROGRAM = """
import sys, time, holdsfor
facts = "vesselType(v1,fishing). typeSpeed(fishing,1.0,9.0,5.0). areaType(a1,nearCoast)."
description = holdsfor.parse(open(sys.argv[1]).read(), open(sys.argv[2]).read(), facts)
lines = ["velocity(v1,12.5,10.0,20.0) @ 30", "entersArea(v1,a1) @ 10", "slow_motion_start(v1) @ 40"]
lines += ["proximity(v1,v2)=true @ [35,90]"]
events = holdsfor.read_events(lines, format="terms")
print(time.time())
holdsfor.recognise(description, events)
"""


def main() -> None:
    rules, background = EXAMPLE / "rules.ec", EXAMPLE / "background.ec"
    for attempt in ("first process, or cache as it is", "second process", "third process"):
        begun = time.time()
        command = [sys.executable, "-c", PROGRAM, str(rules), str(background)]
        ready = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ended = time.time()
        print(f"{attempt}: {ready - begun:.2f} s until it recognises, {ended - begun:.2f} s to the end of the process")


if __name__ == "__main__":
    main()
