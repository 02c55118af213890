"""One word, one idea: no two classes of one name, and names that say what a thing is."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import holdsfor

PACKAGE = Path(holdsfor.__file__).parent
#: What was found, given or asked has a name of its own.
RIDDLES = {"found", "given", "asked", "there"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8"))


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_names_say_what_a_thing_is() -> None:
    riddles = [
        f"{path}:{node.lineno} {name}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.arg | ast.FunctionDef)
        and (name := _name_of(node)) in RIDDLES
        and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    ]
    assert riddles == []


def _name_of(node: ast.Name | ast.arg | ast.FunctionDef) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.arg():
            return node.arg
        case _:
            return node.name
