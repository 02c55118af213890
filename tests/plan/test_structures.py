"""Arguments with variables inside: how they lie flat and what is open."""

from __future__ import annotations

from holdsfor.language.terms import Atom
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Structure
from holdsfor.plan.structures import Form, flat, forms_of, is_open, open_forms

ARGS = ("x", Structure("at", ("y", Structure("in", ("z", Atom("a"))), "x")), None, Atom("b"))


def test_parts_lie_flat_in_their_order() -> None:
    assert flat(ARGS) == ("x", "y", "z", Atom("a"), "x", None, Atom("b"))
    assert forms_of(ARGS) == (None, Form("at", (None, Form("in", (None, None)), None)), None, None)
    assert forms_of(("x", Atom("b"), None)) is None
    assert list(names_in(ARGS)) == ["x", "y", "z", "x"]


def test_a_head_is_cut_only_where_a_wildcard_is_inside() -> None:
    closed, opened = Structure("f", ("x", Atom("a"))), Structure("f", ("x", Structure("g", (None,))))
    assert not is_open(closed)
    assert is_open(opened)
    assert open_forms((closed, None)) == (None, (closed, None))
    assert open_forms((closed, opened)) == (
        (None, Form("f", (None, Form("g", (None,))))),
        (closed, "x", None),
    )
