"""Rule files that rule files name are read, too: from their own folder, once each."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.language import DescriptionError, load

RULES = "happensAt(fast(V), T) :- happensAt(speed(V, S), T), limit(V, L), S > L.\n"


@pytest.mark.parametrize(
    "directive",
    [
        ":- ['facts/limits.prolog'].",
        ":- ['./facts/limits.prolog'].",
        ":- ['facts/limits'].",
        ":- consult('facts/limits.prolog').",
        ":- include('facts/limits.prolog').",
        ":- ensure_loaded('facts/limits').",
        ":- load_files(['facts/limits'], [if(changed)]).",
    ],
)
def test_named_file_is_read(tmp_path: Path, directive: str) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "limits.prolog").write_text(":- ['more/slow'].\nlimit(v1, 3).\n")
    (tmp_path / "facts" / "more").mkdir()
    (tmp_path / "facts" / "more" / "slow.pl").write_text("limit(v2, 1).\n")
    (tmp_path / "rules.prolog").write_text(f"{directive}\n{RULES}")
    facts = [str(clause.head) for clause in load(tmp_path / "rules.prolog").background.clauses]
    assert facts == ["limit(v1,3)", "limit(v2,1)"]


def test_each_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.pl").write_text(":- [b].\n:- ['./b.pl', b].\nlimit(v1, 3).\n")
    (tmp_path / "b.pl").write_text(":- [a].\nlimit(v2, 3).\n")
    (tmp_path / "rules.ec").write_text(RULES)
    found = load(tmp_path / "rules.ec", tmp_path / "a.pl", tmp_path / "b.pl")
    assert [str(clause.head) for clause in found.background.clauses] == ["limit(v1,3)", "limit(v2,3)"]


def test_libraries_of_prolog_are_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text(":- ensure_loaded(library(lists)).\nlimit(v1, 3).\n" + RULES)
    assert load(tmp_path / "rules.ec").warnings == ()


def test_missing_file_is_told_where_it_is_named(tmp_path: Path) -> None:
    rules = tmp_path / "rules.ec"
    rules.write_text("limit(v1, 3).\n:- ['facts/limits.prolog'].\n" + RULES)
    with pytest.raises(DescriptionError) as caught:
        load(rules)
    assert str(caught.value) == (
        f"{rules}:2:5: error: there is no file `facts/limits.prolog` [file]\n"
        "  2 | :- ['facts/limits.prolog'].\n"
        "    |     ^^^^^^^^^^^^^^^^^^^^^\n"
        f"  help: it is looked for from the folder of {rules}; correct its name, or remove the line\n"
        "\n"
        "1 error in the event description"
    )


def test_mistake_in_a_named_file_has_its_place_there(tmp_path: Path) -> None:
    (tmp_path / "limits.pl").write_text("\nlimit(v1, 3.\n")
    (tmp_path / "rules.ec").write_text(":- [limits].\n" + RULES)
    with pytest.raises(DescriptionError) as caught:
        load(tmp_path / "rules.ec")
    assert [(each.place.file, each.place.line) for each in caught.value.diagnostics] == [
        (str(tmp_path / "limits.pl"), 2)
    ]
