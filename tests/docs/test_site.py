"""The documents can be read as a site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.docs.examples import ROOT


def test_the_site_is_built_with_every_page_in_its_contents(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    assert 'not included in the "nav"' not in outcome.stderr
    made = {page.stem for page in tmp_path.glob("*.html")} - {"404"}
    assert made == {page.stem for page in (ROOT / "docs").glob("*.md")}
