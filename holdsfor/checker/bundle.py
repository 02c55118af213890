"""Bundles: an explanation in one file, with its rows and the texts of its rules, and digests of all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdsfor.checker.check import Check, NotDerived
from holdsfor.checker.clauses import ClauseBase

VERSION = 1


class CheckedBundle(NamedTuple):
    """A checked bundle: the claim, how many nodes follow from how many rows, and what could not be derived again."""

    claim: str
    nodes: int
    rows: int
    digests: Mapping[str, str]
    undecided: tuple[str, ...]


def make_bundle(tree: Mapping[str, Any], rules: Mapping[str, str]) -> dict[str, Any]:
    """Put a tree (`Derivation.as_dict`) and the texts of its rules, by the names of files, together."""
    return {"version": VERSION, "tree": tree, "rules": dict(rules), "digests": _digests(tree, rules)}


def check_bundle(bundle: Mapping[str, Any]) -> CheckedBundle:
    """Check each node of a bundle; raise NotDerived if one does not follow, or if something was changed since."""
    if bundle.get("version") != VERSION:
        raise NotDerived(f"this is no bundle of version {VERSION}")
    tree, rules = bundle["tree"], bundle["rules"]
    digests = _digests(tree, rules)
    changed = [
        name for name in digests.keys() | bundle["digests"].keys() if digests.get(name) != bundle["digests"].get(name)
    ]
    if changed:
        raise NotDerived(f"{', '.join(sorted(changed))}: not what it was when the bundle was made")
    check = Check(tree, ClauseBase(rules))
    check.run()
    root = tree["nodes"][0]
    when = f"at {root['at']}" if "at" in root else f"from {root.get('since')}"
    return CheckedBundle(
        f"{root['what']} {when}", len(tree["nodes"]), len(tree["rows"]), digests, tuple(sorted(check.undecided))
    )


def _digests(tree: Mapping[str, Any], rules: Mapping[str, str]) -> dict[str, str]:
    """Return SHA-256 of the tree in its shortest form, and of each rule file as it is."""
    whole = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return {"tree": _digest(whole), **{name: _digest(text) for name, text in rules.items()}}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
