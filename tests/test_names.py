"""Hold the words: one class for a name, names that say what a thing is, docstrings that begin with what they name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import holdsfor

PACKAGE = Path(holdsfor.__file__).parent
#: Participles that tell what happened to a thing; a name says which thing it is.
RIDDLES = {"found", "given", "asked", "there"}
MORE_RIDDLES = {"known", "told", "gone", "kept", "wanted", "begun", "said"}
#: `hf.given` names a fluent that comes from outside.
RIDDLES_OF_USERS = {"authoring/definitions.py given"}
#: How a docstring that names its object does not begin.
EVASIVE = {"What", "Of", "As", "Those", "Which"}
#: A class for users, and what the engine has inside: both are what everybody calls intervals.
TWINS = {"Intervals": ["engine/data/intervals.py", "intervals.py"]}
MOST_TYPES = 5
#: Parameter names with more types than that. The number only goes down.
AMBIGUOUS_NAMES = 80
#: Folders whose docstrings, and whose riddles, are still to be rewritten. A folder that is clean leaves the list.
DOCSTRINGS_TO_REWRITE: tuple[str, ...] = ()
RIDDLES_TO_REPLACE = (
    "engine/",
    "kernels/",
    "once.py",
    "loading.py",
)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8"))


def test_no_two_classes_have_one_name() -> None:
    homes = defaultdict(list)
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1 and paths != TWINS.get(name)} == {}


def test_names_say_what_a_thing_is() -> None:
    riddles = [
        f"{path}:{node.lineno} {name}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.arg | ast.FunctionDef)
        and (name := _name_of(node)) in RIDDLES | (set() if path.startswith(RIDDLES_TO_REPLACE) else MORE_RIDDLES)
        and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
        and f"{path} {name}" not in RIDDLES_OF_USERS
    ]
    assert riddles == []


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    evasive = [
        f"{path}:{getattr(node, 'lineno', 1)} {docstring.splitlines()[0]}"
        for path, tree in modules()
        if not path.startswith(DOCSTRINGS_TO_REWRITE)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and (docstring := ast.get_docstring(node))
        and docstring.split()[0].strip(".,:;") in EVASIVE
    ]
    assert evasive == []


def test_a_parameter_name_means_few_things() -> None:
    types = defaultdict(set)
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.annotation is not None:
                types[node.arg].add(ast.unparse(node.annotation).removesuffix(" | None"))
    ambiguous = sorted(name for name, its in types.items() if len(its) > MOST_TYPES)
    assert len(ambiguous) <= AMBIGUOUS_NAMES, f"More names than before stand for many types: {', '.join(ambiguous)}"


def _name_of(node: ast.Name | ast.arg | ast.FunctionDef) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.arg():
            return node.arg
        case _:
            return node.name
