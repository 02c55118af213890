"""Hashes that are worked out once stay in their process: texts hash anew in each."""

from __future__ import annotations

import pickle

from holdsfor.language.terms import Atom
from holdsfor.plan.operators import Of, Relation


def make_part() -> Of:
    return Of(Relation("lamp", 1, Atom("on"), "fluent"), ("X",))


def test_the_hash_is_kept_and_not_pickled() -> None:
    part = make_part()
    assert hash(part) == part._hash == hash(make_part())
    sent = pickle.loads(pickle.dumps(part))
    assert not hasattr(sent, "_hash")
    assert sent == part
    assert {part: 1}[sent] == 1
