"""Hashes that are worked out once stay in their process: texts hash anew in each."""

from __future__ import annotations

import pickle

from holdsfor.language.terms import Atom
from holdsfor.plan.operators import Relation


def test_the_hash_is_kept_and_not_pickled() -> None:
    relation = Relation("lamp", 1, Atom("on"), "fluent")
    assert hash(relation) == relation._hash == hash(Relation("lamp", 1, Atom("on"), "fluent"))
    sent = pickle.loads(pickle.dumps(relation))
    assert not hasattr(sent, "_hash")
    assert sent == relation
    assert {relation: 1}[sent] == 1
