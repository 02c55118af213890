"""Terms that come in great numbers stay in Arrow: nothing else about them is different."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.duration import GivenTimes
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.term_text import index_terms
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import NULL
from holdsfor.local.recognise import recognise_for

WORDS = ["a", "b", "true", "v12345678", "v123456789", "'Two words'", "é", "7", "-7", "7.5", "1e400", "inf", NULL, "[]"]
TERMS = st.sampled_from([*WORDS, "pair(a,7)", "pair(b,v12345678)", "pair(pair(a,b),7)", "99999999999999999999"])
TEXTS = st.lists(TERMS, min_size=1, max_size=7)
STEPS = st.one_of(
    st.tuples(st.just("array"), TEXTS),
    st.tuples(st.just("codes"), TEXTS),
    st.tuples(st.just("code"), TERMS),
    st.tuples(st.just("parts"), st.none()),
    st.tuples(st.just("copy"), st.none()),
    st.tuples(st.just("pickle"), st.none()),
)


def follow(steps: list[tuple[str, Any]], many: int) -> list[Any]:
    """All that can be asked of a dictionary after these steps. many: how many terms stay in Arrow."""
    dictionary, answers = Dictionary(Tuning(many_terms=many)), []
    for step, argument in steps:
        match step:
            case "array":
                rows = pa.array(range(len(argument)), pa.int32())
                encoded = pa.DictionaryArray.from_arrays(rows, pa.array(argument, pa.string()))
                answers.append(dictionary.encode_array(encoded).tolist())
            case "codes":
                answers.append(dictionary.codes(argument).tolist())
            case "code":
                answers.append(dictionary.code(argument))
            case "parts":
                compounds = dictionary.parts("pair", 2)
                answers.append([column.tolist() for column in (compounds.place, compounds.codes)])
            case "copy":
                dictionary = dictionary.copy()
            case "pickle":
                dictionary = pickle.loads(pickle.dumps(dictionary))
    codes = np.arange(len(dictionary))
    answers += [dictionary.null_code, dictionary.texts().to_pylist(), [dictionary.text(code) for code in codes]]
    answers += [dictionary.ranks.tolist(), dictionary.exact(codes), dictionary.whole(codes).tolist()]
    return [*answers, list(map(str, dictionary.numbers(codes).tolist()))]


@settings(deadline=None, max_examples=300)
@given(st.lists(STEPS, max_size=6))
def test_they_change_no_answer(steps: list[tuple[str, Any]]) -> None:
    assert str(follow(steps, many=3)) == str(follow(steps, many=1000))


def test_they_are_found_and_no_others() -> None:
    terms = pa.array([f"vessel_{number}" for number in range(5000)])
    many = index_terms(10, terms)
    assert many is not None
    assert many.find(terms.slice(17, 300)).tolist() == list(range(27, 327))
    assert many.find(pa.array(["vessel_4999", "vessel_5000", "", "vessel_1"])).tolist() == [5009, -1, -1, 11]
    assert index_terms(0, pa.array(["a", "b", "a"])) is None


RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), ship(V, fishing), S > 20.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
"""


def test_many_facts_and_many_entities() -> None:
    vessels = [f"v{number}" for number in range(60)]
    ships = pa.table({"vessel": vessels, "kind": ["fishing" if number % 2 else "tug" for number in range(60)]})
    rows = [f"speed({vessel}, {30 if number % 3 else 3}) @ {number + 1}" for number, vessel in enumerate(vessels)]
    description = holdsfor.parse(RULES, facts={"ship": ships})
    tuning = Tuning(many_terms=5)
    intervals = recognise_for(description, rows, GivenTimes(), format="terms", tuning=tuning).intervals
    found = {(row["args"][0], row["start"]) for row in intervals.to_pylist()}
    assert found == {(f"v{number}", number + 2) for number in range(60) if number % 2 and number % 3}
