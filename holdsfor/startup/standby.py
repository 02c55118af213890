"""A daemon for Spark's workers that loads what tasks need while Java starts.

Spark starts its daemon when the first task is there, which then waits for two seconds of loading. So the driver starts
one beforehand, which stands by. The daemon that Spark starts hands over to it all that Spark gave it, and waits for its
end. Where none stands by, Spark's own loads for itself.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

from holdsfor.startup import is_on

#: The environment variable with the socket of the daemon that stands by.
STANDBY = "HOLDSFOR_STANDBY"
PIPES = (0, 1, 2)  # standard input, output and errors, by which Spark speaks to its daemon
SECONDS = 1.0  # between two looks at whether the driver is still there


def start_standby(environment: Mapping[str, str]) -> Path | None:
    """Start a daemon that begins to load now, and return its socket; None where this system cannot have one."""
    if not hasattr(socket, "send_fds") or not is_on("standby"):
        return None
    path = Path(tempfile.mkdtemp(prefix="holdsfor-standby-"), "socket")  # a folder that no other user can enter
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(str(path))
        except OSError:  # a path that is too long for a socket
            path.parent.rmdir()
            return None
        listener.listen(1)
        process = subprocess.Popen(
            [sys.executable, "-m", "holdsfor.startup.daemon", "standby", str(listener.fileno()), str(os.getpid())],
            env=os.environ | environment | {"PYTHONUNBUFFERED": "YES"},  # as Spark starts its own
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    Thread(target=process.wait, name="standby", daemon=True).start()  # else it stays in the list of processes
    return path


def hand_over() -> bool:
    """Hand over to the daemon that stands by. True: that one has done all that this one, started by Spark, should
    do.
    """
    path = os.environ.get(STANDBY)
    if not path:
        return False
    handed = {"environment": dict(os.environ), "arguments": sys.argv, "paths": sys.path, "folder": os.getcwd()}
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
            socket.send_fds(connection, [b"."], PIPES)
            connection.sendall(json.dumps(handed).encode())
            connection.shutdown(socket.SHUT_WR)
        except OSError:  # it is gone, or the daemon of another executor's
            return False
        connection.recv(1)  # nothing is sent: it ends with the other daemon and its workers
    return True


def take_over(listener: socket.socket, driver: int) -> bool:
    """Wait for Spark's daemon and become it. False: nobody will come any more, for the driver's process is gone."""
    connection = _wait(listener, driver)
    _remove(listener)
    if connection is None:
        return False
    _, pipes, _, _ = socket.recv_fds(connection, 1, len(PIPES))
    with connection.makefile("rb") as message:
        handed = json.load(message)
    for pipe, standard in zip(pipes, PIPES, strict=True):
        os.dup2(pipe, standard)
        os.close(pipe)
    connection.detach()  # stays open as long as this process and those that it forks
    os.environ.clear()
    os.environ.update(handed["environment"])
    os.chdir(handed["folder"])
    sys.argv[:], sys.path[:] = handed["arguments"], handed["paths"]
    return True


def _wait(listener: socket.socket, driver: int) -> socket.socket | None:
    listener.settimeout(SECONDS)
    while os.getppid() == driver:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        connection.settimeout(None)
        return connection
    return None


def _remove(listener: socket.socket) -> None:
    path = Path(listener.getsockname())
    listener.close()
    path.unlink(missing_ok=True)
    path.parent.rmdir()
