"""Terms with variables inside as arguments: what agents may and must do, on every engine; the dictionary.

What each form means is worked out by hand in tests/plan/answers.txt.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import holdsfor
from holdsfor.engine.bodies.structure import take_apart
from holdsfor.engine.data.dictionary import Dictionary, DictionaryFull
from holdsfor.language import parse
from holdsfor.plan.structures import Form
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, NAIVE, STREAMS, TASKS, Engine
from tests.naive.rows import Horizon

ASSEMBLY = """
fi(stage(M)=open, stage(M)=closed, 6).
initiatedAt(stage(M)=open, T) :- happensAt(moves(_,M), T), \\+ holdsAt(stage(M)=open, T).
initiatedAt(stage(M)=closed, T) :- happensAt(rings(C,M), T), holdsAt(may(ring(C,M))=true, T).

initiatedAt(may(ring(C,M))=true, T) :- happensAt(start(stage(M)=open), T), chairs(C,M).
initiatedAt(may(cast(V,M))=true, T) :- happensAt(moves(_,M), T), voter(V), \\+ holdsAt(cast(of(V,M))=_, T).
terminatedAt(may(ring(_,M))=true, T) :- happensAt(end(stage(M)=open), T).
terminatedAt(may(cast(V,M))=true, T) :- happensAt(votes(V,M,_), T).
terminatedAt(may(_)=true, T) :- happensAt(adjourns, T).

initiatedAt(cast(of(V,M))=Vote, T) :- happensAt(votes(V,M,Vote), T), holdsAt(stage(M)=open, T).
initiatedAt(cast(of(_,M))=void, T) :- happensAt(start(stage(M)=open), T).

happensAt(decided(motion(M,passed)), T) :-
    happensAt(start(stage(M)=closed), T),
    findall(V, holdsAt(cast(of(V,M))=aye, T), Ayes), length(Ayes, For),
    findall(V, holdsAt(cast(of(V,M))=nay, T), Nays), length(Nays, Against),
    For >= Against.

initiatedAt(must(report(C,motion(M,Outcome)))=true, T) :-
    happensAt(decided(motion(M,Outcome)), T), chairs(C,M).
initiatedAt(must(report(C,X))=false, T) :- happensAt(reports(C,X), T).
fi(must(report(C,X))=true, must(report(C,X))=late, 4).

initiatedAt(fined(C)=true, T) :- happensAt(rings(C,M), T), \\+ holdsAt(may(ring(C,M))=true, T).
initiatedAt(fined(C)=true, T) :- happensAt(start(must(report(C,motion(_,passed)))=late), T).

holdsFor(able(C,to(ring(M)))=true, I) :-
    holdsFor(may(ring(C,M))=true, I1), holdsFor(fined(C)=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(busy(M)=true, I) :- holdsFor(may(cast(_,M))=true, I1), holdsFor(stage(M)=open, I2), intersect_all([I1,I2], I).

chairs(ann, m1). chairs(bob, m1). chairs(bob, m2).
voter(cid). voter(dee). voter(ann).
"""
TRADE = """
initiatedAt(offer(deal(S,B),G)=true, T) :- happensAt(quotes(S,B,G), T).
terminatedAt(offer(deal(S,B),G)=true, T) :- happensAt(accepts(B,S,G), T).
fi(offer(deal(S,B),G)=true, offer(deal(S,B),G)=false, 5).
p(offer(deal(_,_),_)=true).

initiatedAt(contract(deal(S,B),G)=true, T) :-
    happensAt(accepts(B,S,G), T), holdsAt(offer(deal(S,B),G)=true, T),
    \\+ holdsAt(barred(role(S,seller))=true, T), \\+ holdsAt(barred(role(B,buyer))=true, T).
fi(contract(deal(S,B),G)=true, contract(deal(S,B),G)=false, 5).

initiatedAt(must(pay(B,item(G)))=true, T) :- happensAt(start(contract(deal(_,B),G)=true), T).
initiatedAt(must(send(S,item(G)))=true, T) :- happensAt(start(contract(deal(S,_),G)=true), T).
initiatedAt(must(pay(B,item(G)))=false, T) :- happensAt(pays(B,G,P), T), price(item(G),P).
initiatedAt(must(send(S,item(G)))=false, T) :- happensAt(sends(S,G), T).

initiatedAt(barred(role(B,buyer))=true, T) :-
    happensAt(end(contract(deal(_,B),G)=true), T), holdsAt(must(pay(B,item(G)))=true, T).
initiatedAt(barred(role(S,seller))=true, T) :-
    happensAt(end(contract(deal(S,_),G)=true), T), holdsAt(must(send(S,item(G)))=true, T).
fi(barred(role(A,R))=true, barred(role(A,R))=false, 3).

holdsFor(able(accept(B,deal(S,B),G))=true, I) :-
    holdsFor(offer(deal(S,B),G)=true, I1), holdsFor(barred(role(B,buyer))=true, I2),
    holdsFor(barred(role(S,seller))=true, I3), relative_complement_all(I1, [I2,I3], I).
grounding(must(pay(B,item(G)))=true) :- buyer(B), price(item(G),_).
grounding(must(pay(B,item(G)))=false) :- buyer(B), price(item(G),_).
grounding(must(send(_,item(G)))=true) :- price(item(G),_).
grounding(must(send(_,item(G)))=false) :- price(item(G),_).
buyer(b1). buyer(b2).
price(item(pen), 3). price(item(ink), 5).
"""


def _assembly(random: Random) -> list[tuple[str, ...]]:
    motion, chair, voter = random.choice(("m1", "m2")), random.choice(("ann", "bob")), random.choice(("cid", "dee"))
    return [
        ("moves", voter, motion),
        ("votes", voter, motion, random.choice(("aye", "nay"))),
        ("votes", random.choice((voter, chair)), motion, "aye"),
        ("rings", chair, motion),
        ("reports", chair, f"motion({motion},passed)"),
        ("reports", chair, random.choice(("motion(m1,lost)", "motion(m1)", "weather"))),
        ("adjourns",),
    ]


def _trade(random: Random) -> list[tuple[str, ...]]:
    seller, buyer, goods = random.choice(("s1", "s2")), random.choice(("b1", "b2", "b3")), random.choice(("pen", "ink"))
    return [
        ("quotes", seller, buyer, goods),
        ("accepts", buyer, seller, goods),
        ("accepts", buyer, seller, goods),
        ("pays", buyer, goods, random.choice(("3", "5"))),
        ("sends", seller, goods),
    ]


def _rows(kind: str, seed: int) -> list[str]:
    random = Random(seed)
    rows = []
    for _ in range(random.choice((20, 60))):
        name, *args = random.choice((_assembly if kind == "assembly" else _trade)(random))
        time = random.randint(1, 40)
        rows.append((time + random.choice((0, 0, 0, 3)), "|".join([name, "{}", str(time), *args])))
    return [text.format(arrival) for arrival, text in sorted(rows)]


@pytest.mark.parametrize("engine", [*LOCAL, *TASKS, *STREAMS], ids=str)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["assembly", "trade"])
def test_same_as_naive(kind: str, seed: int, engine: Engine) -> None:
    description, rows = parse(ASSEMBLY if kind == "assembly" else TRADE), _rows(kind, seed)
    horizon = Horizon(window=20, step=10, start=0, end=40)
    expected, found = (each.recognise(description, rows, horizon) for each in (NAIVE, engine))
    assert not differences(compared(expected, horizon), compared(found, horizon))


def test_the_random_streams_reach_every_rule() -> None:
    """A comparison says little about a fluent that never holds."""
    for kind, text in (("assembly", ASSEMBLY), ("trade", TRADE)):
        description, horizon = parse(text), Horizon(window=20, step=10, start=0, end=40)
        answers = [NAIVE.recognise(description, _rows(kind, seed), horizon) for seed in range(4)]
        held = {fluent for answer in answers for fluent, _, _ in answer.intervals}
        assert held == {signature.name for signature in description.defined.simple | description.defined.static}


# ---------------------------------------------------------------- terms without end


@pytest.mark.parametrize(
    "rules",
    [
        "p(a). p(s(X)) :- p(X). happensAt(z(X), T) :- happensAt(e(X), T), p(X).",
        "p(a). p(s(X,X)) :- p(X). happensAt(z(X), T) :- happensAt(e(X), T), p(X).",
        "initiatedAt(p(X)=on, T) :- happensAt(e(X), T).\n"
        "initiatedAt(p(s(X))=on, T) :- happensAt(e(_), T), holdsAt(p(X)=on, T).",
    ],
)
def test_terms_that_grow_without_end_are_refused_with_their_rule(rules: str) -> None:
    with pytest.raises(holdsfor.DescriptionError, match=r"each answer of this rule makes a larger one: s\(") as refused:
        holdsfor.recognise(parse(rules), holdsfor.read_events(["e(a) @ 1"], format="terms"))
    assert refused.value.diagnostics[0].code == "endless"


# ---------------------------------------------------------------- the dictionary


def _random_term(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.3:
        return random.choice(("a", "7", "7.0", "'x, (y'", "'it\\'s'", "[b,c]", "-3"))
    name = random.choice(("f", "g", "'No way'", "-"))
    return f"{name}({','.join(_random_term(random, depth - 1) for _ in range(random.randint(1, 3)))})"


@pytest.mark.parametrize("seed", range(30))
def test_terms_taken_apart_and_put_together_are_the_same(seed: int) -> None:
    random, dictionary = Random(seed), Dictionary()
    texts = [_random_term(random, 3) for _ in range(60)]
    half = dictionary.codes(texts[:30])
    for name, arity in (("f", 1), ("f", 2), ("g", 2), ("No way", 3), ("-", 2)):
        dictionary.parts(name, arity)
    codes = np.concatenate([half, dictionary.codes(texts[30:])])
    for name, arity in (("f", 1), ("f", 2), ("g", 2), ("No way", 3), ("-", 2)):
        forms = (Form(name, (None,) * arity),)
        kept, parts = take_apart([codes], forms, dictionary)
        assert np.array_equal(dictionary.compose(name, parts), codes[kept])
    assert [dictionary.text(code) for code in codes.tolist()] == texts
    assert np.array_equal(dictionary.codes(texts), codes)


def test_new_terms_have_one_code_however_they_come_about() -> None:
    dictionary = Dictionary()
    a, b, known = dictionary.codes(["a", "b", "f(a,b)"]).tolist()
    made = dictionary.compose("f", [np.array([a, b, a]), np.array([b, a, b])])
    assert made.tolist() == [known, made[1], known]
    assert dictionary.copy().code("f(b,a)") == dictionary.code("f(b,a)") == made[1]
    outer = dictionary.compose("g", [made])
    assert dictionary.texts().take(outer.tolist()).to_pylist() == ["g(f(a,b))", "g(f(b,a))", "g(f(a,b))"]


def test_a_dictionary_that_is_full_can_be_asked_again() -> None:
    dictionary = Dictionary()
    codes = dictionary.codes(["a", "b"])
    dictionary.limit = 3
    with pytest.raises(DictionaryFull):
        dictionary.compose("f", [codes])
    dictionary.limit = 4
    assert [dictionary.text(code) for code in dictionary.compose("f", [codes]).tolist()] == ["f(a)", "f(b)"]
