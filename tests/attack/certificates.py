"""Certificates for this machine, made by openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def run_openssl(folder: Path, *arguments: str) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    subprocess.run([openssl, *arguments], check=True, cwd=folder, capture_output=True)


def self_signed(folder: Path, name: str = "own", subject: str = "IP:127.0.0.1", days: int = 2) -> tuple[Path, Path]:
    """A certificate for a host that has signed it itself, and its key. days: below 0, it has expired."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    about = ("-subj", f"/CN={name}", "-addext", f"subjectAltName={subject}", "-days", str(days))
    run_openssl(folder, *new, *about, "-keyout", str(key), "-out", str(certificate))
    return certificate, key
