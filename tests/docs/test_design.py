"""The guide to the code is short, and its tables name the folders that there are."""

from __future__ import annotations

import re

from tests.docs.examples import ROOT

GUIDE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def table(heading: str) -> set[str]:
    """Return the folders that the table under a heading names."""
    rows = GUIDE.partition(f"| `ls {heading}/` |")[2].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)/` \|", rows, re.MULTILINE))


def folders(heading: str) -> set[str]:
    return {path.parent.name for path in (ROOT / heading).glob("*/__init__.py")}


def test_the_guide_is_a_table_of_contents_of_the_code() -> None:
    for heading in ("holdsfor", "holdsfor/engine"):
        assert table(heading) == folders(heading)


def test_files_that_the_guide_names_are_there() -> None:
    homes = (ROOT, ROOT / "holdsfor", ROOT / "holdsfor" / "engine")
    names = re.findall(r"`([\w/]+\.(?:py|md))`", GUIDE)
    assert [name for name in names if not any((home / name).exists() for home in homes)] == []


def test_the_guide_is_short() -> None:
    assert len(GUIDE.splitlines()) <= 250
