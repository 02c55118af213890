"""Certificates for this machine, made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def self_signed(folder: Path, name: str = "own", subject: str = "IP:127.0.0.1", days: int = 2) -> tuple[Path, Path]:
    """A certificate that its owner has signed, and its key. days: below 0, it has expired."""
    return _certificate(folder, name, subject, days)


def signed(folder: Path, authority: tuple[Path, Path], name: str = "signed") -> tuple[Path, Path]:
    """A certificate for this machine that the authority has signed, and its key."""
    return _certificate(folder, name, "IP:127.0.0.1", 2, authority)


def _certificate(
    folder: Path, name: str, subject: str, days: int, authority: tuple[Path, Path] | None = None
) -> tuple[Path, Path]:
    certificate, key, names = (folder / f"{name}.{ending}" for ending in ("pem", "key", "names"))
    names.write_text(f"subjectAltName={subject}\n")
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}")
    _openssl(folder, *new, "-keyout", str(key), "-out", f"{name}.csr")
    signer: tuple[str, ...] = ("-signkey", str(key))
    if authority is not None:
        signer = ("-CA", str(authority[0]), "-CAkey", str(authority[1]), "-CAcreateserial")
    about = ("-extfile", str(names), "-days", str(days), "-out", str(certificate))
    _openssl(folder, "x509", "-req", "-in", f"{name}.csr", *signer, *about)
    return certificate, key


def _openssl(folder: Path, *arguments: str) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    subprocess.run([openssl, *arguments], check=True, cwd=folder, capture_output=True)
