"""What pyproject.toml says fits what is there."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent


def settings() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_folder_of_code_is_installed() -> None:
    """setup.py finds folders by their `__init__.py`."""
    folders = {path.parent for path in (ROOT / "holdsfor").rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_every_data_file_is_installed() -> None:
    patterns = settings()["package-data"]["*"]
    files = [path for top in ("holdsfor", "examples") for path in (ROOT / top).rglob("*") if path.is_file()]
    data = [path for path in files if path.suffix not in (".py", ".md") and "__pycache__" not in path.parts]
    assert [path for path in data if not any(fnmatch(path.name, pattern) for pattern in patterns)] == []


def test_no_line_names_a_package_index_or_a_machine_folder() -> None:
    text = "\n".join((ROOT / name).read_text() for name in ("pyproject.toml", "Makefile", ".ci/run"))
    assert re.findall(r"https?://|/(?:work|tmp|home|opt)/", text) == []
