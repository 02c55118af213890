"""User names, passwords, rights and TLS."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import Spooler
from holdsfor.io.mqtt.publisher import Outgoing, publish
from tests.io.mqtt.broker import MOSQUITTO, Mosquitto, eventually, needs_mosquitto

pytestmark = needs_mosquitto


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Mosquitto]:
    """Lets in only `me`, who may read and write `open/#` alone."""
    assert MOSQUITTO
    passwords = tmp_path / "passwords"
    passwd = shutil.which("mosquitto_passwd")
    if passwd is None:
        pytest.skip("mosquitto_passwd is not installed")
    subprocess.run([passwd, "-b", "-c", str(passwords), "me", "secret"], check=True)
    rights = tmp_path / "rights"
    rights.write_text("user me\ntopic readwrite open/#\n")
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = Mosquitto(folder, "allow_anonymous false", f"password_file {passwords}", f"acl_file {rights}")
    broker.start()
    yield broker
    broker.stop()


def test_credentials(guarded: Mosquitto, tmp_path: Path) -> None:
    settings = guarded.settings("open/t", username="me", password="secret")
    with Spooler(settings, tmp_path / "spool") as spooler:
        assert publish(settings, [Outgoing("1", "open/t", b"x", False)]) == 1
        eventually(lambda: spooler.metrics()["spooled"] == 1)


@pytest.mark.parametrize("version", [4, 5])
def test_wrong_credentials(guarded: Mosquitto, tmp_path: Path, version: int) -> None:
    settings = guarded.settings("open/t", username="me", password="wrong", version=version)
    with pytest.raises(HoldsforError, match=r"refused the connection: .* Check username and password"):
        Spooler(settings, tmp_path / "spool").start()
    with pytest.raises(HoldsforError, match=r"refused the connection: .* Check username and password"):
        publish(settings, [Outgoing("1", "open/t", b"x", False)])


def test_what_may_not_be_published(guarded: Mosquitto) -> None:
    settings = guarded.settings(username="me", password="secret")
    with pytest.raises(HoldsforError, match="does not let us publish to shut/t: Not authorized"):
        publish(settings, [Outgoing("1", "open/t", b"x", False), Outgoing("2", "shut/t", b"x", False)])


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """An authority, and certificates that it signed for the broker and for a client."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path / "keys"
    folder.mkdir()

    def run(*arguments: str) -> None:
        subprocess.run([openssl, *arguments], check=True, cwd=folder, capture_output=True)

    new = ("req", "-newkey", "rsa:2048", "-nodes")
    run(*new, "-x509", "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("server", "client"):
        run(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2")
        run("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)
    return folder


def test_tls(keys: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()
    files = (f"cafile {keys}/ca.pem", f"certfile {keys}/server.pem", f"keyfile {keys}/server.key")
    broker = Mosquitto(folder, *files, "require_certificate true", "allow_anonymous true")
    broker.start()
    own = {"cert": f"{keys}/client.pem", "key": f"{keys}/client.key"}
    try:
        settings = broker.settings("t", tls=True, ca=f"{keys}/ca.pem", **own)
        with Spooler(settings, tmp_path / "spool") as spooler:
            publish(settings, [Outgoing("1", "t", b"x", False)])
            eventually(lambda: spooler.metrics()["spooled"] == 1)
        without = broker.settings("t", tls=True, ca=f"{keys}/ca.pem", patience=1.0)
        with pytest.raises(HoldsforError, match="no connection to the broker"):
            Spooler(without, tmp_path / "other").start()
        with pytest.raises(HoldsforError, match="cannot use the TLS files"):
            publish(broker.settings(tls=True, ca=f"{keys}/ca.key"), [Outgoing("1", "t", b"x", False)])
    finally:
        broker.stop()
