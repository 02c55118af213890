"""There is one object for each relation, wherever it comes from: relations are compared by identity."""

from __future__ import annotations

import copy
import gc
import pickle
from dataclasses import replace

from holdsfor.language.description import Signature
from holdsfor.language.terms import Atom, Float, Int
from holdsfor.plan.operators import KNOWN_RELATIONS, Relation


def test_the_same_relation_is_one_object() -> None:
    lamp = Relation("lamp", 1, Atom("on"), "fluent")
    assert Relation("lamp", 1, Atom("on"), "fluent", None) is lamp
    assert pickle.loads(pickle.dumps(lamp)) is lamp
    assert copy.deepcopy(lamp) is lamp
    assert replace(replace(lamp, name="light"), name="lamp") is lamp


def test_others_are_others() -> None:
    lamp = Relation("lamp", 1, Int(1), "fluent")
    others = [
        Relation("light", 1, Int(1), "fluent"),
        Relation("lamp", 2, Int(1), "fluent"),
        Relation("lamp", 1, Float(1.0), "fluent"),
        Relation("lamp", 1, None, "event"),
        Relation("lamp", 1, Int(1), "fluent", Signature("house", 1)),
    ]
    assert len({lamp, *others}) == 6
    assert [each.name for each in others] == ["light", "lamp", "lamp", "lamp", "lamp"]


def test_those_that_nobody_has_are_forgotten() -> None:
    known = len(KNOWN_RELATIONS)
    made = [Relation(f"passing {number}", 1, None, "event") for number in range(10)]
    assert len(KNOWN_RELATIONS) == known + len(made)
    made.clear()
    gc.collect()
    assert len(KNOWN_RELATIONS) <= known
