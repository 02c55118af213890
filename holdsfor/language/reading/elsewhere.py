"""Predicates and functions of other languages, which rules have not, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime

from holdsfor.language.draft import did_you_mean
from holdsfor.language.parsing.durations import date_hint
from holdsfor.language.terms import Compound, Float, Int, Items, Term, Var, name_and_args
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.written import written

_FLUENT = "keep what changes over time in a fluent: initiatedAt, terminatedAt, holdsAt"
_FACTS = "list the cases as facts"
_COLLECT = "write findall(X, goal, L), and length(L, N) or sum_list(L, N)"

#: Names -> what they do, what to write instead.
_GROUPS: tuple[tuple[str, str, str], ...] = (
    (
        "assert asserta assertz retract retractall abolish erase recorda recordz recorded",
        "changes facts while rules run",
        _FLUENT,
    ),
    ("nb_setval nb_getval b_setval b_getval flag gensym", "uses a global variable", _FLUENT),
    (
        "write writeln print print_message format nl tab put_char portray_clause write_canonical writeq write_term "
        "tell told writef listing with_output_to",
        "writes output",
        "remove it; the run writes the results",
    ),
    (
        "read read_term see seen consult load_files open close get_char current_input current_output prompt",
        "works with files",
        "give rule files and events to the run, by name",
    ),
    (
        "call apply call_cleanup setup_call_cleanup phrase",
        "calls a goal that is known only while rules run",
        "write the goal itself",
    ),
    (
        "exists exist",
        "says that there is some value, as every condition does",
        "write its conditions alone; \\+ says that there are none",
    ),
    ("once", "keeps the first answer only", "write the goal itself; every answer counts"),
    ("ignore", "is true whatever its goal does", "remove it"),
    ("catch throw", "handles exceptions", "write the goal itself; what cannot be calculated is not true"),
    ("bagof setof aggregate_all", "collects answers", _COLLECT),
    ("count sum avg average mean total", "is not built in", _COLLECT),
    ("maplist foldl include exclude partition aggregate", "calls a goal for each element of a list", _FACTS),
    (
        "functor arg copy_term duplicate_term =.. term_variables setarg nb_setarg numbervars subsumes_term",
        "takes terms apart",
        "match it with what it must look like: X = f(A, B)",
    ),
    (
        "atom_concat atom_codes atom_chars atom_length sub_atom char_code upcase_atom concat_atom atomic_list_concat "
        "string_concat split_string atom_string number_codes atom_number term_to_atom string_length string_lower "
        "string_upper string_chars string_codes number_string sub_string",
        "takes text apart",
        _FACTS,
    ),
    (
        "member memberchk append nth0 nth1 reverse sort msort predsort last select selectchk delete subtract "
        "permutation list_to_set intersection union max_member min_member flatten pairs_keys_values keysort numlist "
        "list_to_ord_set ord_subtract ord_union ord_memberchk",
        "works on lists",
        _FACTS,
    ),
    (
        "atom atomic number integer float var nonvar ground compound callable is_list string",
        "tests what a term is",
        "remove it: a variable in a rule always has a value, and what is calculated with is a number",
    ),
    (
        "clause current_predicate predicate_property current_op nth_clause",
        "looks at the rules themselves",
        "write the condition that is meant",
    ),
    ("op", "declares an operator", "write the name before its arguments: name(A, B)"),
    ("trace notrace spy nospy debug nodebug assertion must_be", "is for finding mistakes", "remove it"),
    ("compare", "is not built in", "compare terms with X @< Y, X == Y, X @> Y"),
    ("freeze when", "waits for a value", "write the goal itself; conditions may stand in any order"),
    ("thread_create thread_join thread_send_message mutex_lock with_mutex", "uses threads", "remove it"),
    ("plus", "is not built in", "write Z is X+Y"),
    ("succ", "is not built in", "write Y is X+1"),
    ("get_time statistics stamp_date_time date_time_stamp", "asks the clock", "use the time T of a condition"),
    ("random random_between random_member", "gives another answer each time", _FACTS),
    ("halt shell getenv setenv garbage_collect sleep", "acts on the Prolog system", "remove it"),
    ("repeat", "never ends", "remove it"),
)
_WORDS = {name: (does, instead) for names, does, instead in _GROUPS for name in names.split()}


def unavailable(goal: Term) -> tuple[str, str] | None:
    """Say what a predicate of Prolog does and what to write instead; None if it is not one of them."""
    name, args = name_and_args(goal)
    special = _SPECIAL.get((name, len(args)))
    return special(*args) if special else _WORDS.get(name)


def _between(low: Term, high: Term, value: Term) -> tuple[str, str]:
    x = written(value)
    return "counts through numbers", f"compare: {x} >= {written(low)}, {x} =< {written(high)}"


def _dif(one: Term, other: Term) -> tuple[str, str]:
    return "is not built in", f"write {written(one)} \\= {written(other)}"


def _forall(condition: Term, action: Term) -> tuple[str, str]:
    return "calls other goals", f"write \\+ ({written(condition, 999)}, \\+ {written(action, 900)})"


def _duration(intervals: Term, *_: Term) -> tuple[str, str]:
    return (
        "is not built in",
        f"for intervals of more than ten minutes, write intDurGreater({written(intervals)}, 10 min, Long)",
    )


_SPECIAL: dict[tuple[str, int], Callable[..., tuple[str, str]]] = {
    ("between", 3): _between,
    ("forall", 2): _forall,
    ("dif", 2): _dif,
    ("duration", 1): _duration,
    ("duration", 2): _duration,
}


_SQUARES = "sqrt({0}*{0} + {1}*{1})"
#: Functions that other languages have, by number of arguments, and what gives the same here.
_ELSEWHERE: dict[tuple[str, int], str] = {
    **{(name, 2): _SQUARES for name in ("hypot", "hypotenuse")},
    **{(name, 2): "{0} ** {1}" for name in ("pow", "power")},
    **{(name, 2): "{0} // {1}" for name in ("div", "idiv", "quotient")},
    **{(name, 2): "{0} mod {1}" for name in ("modulo", "fmod")},
    **{(name, 1): "ceiling({0})" for name in ("ceil", "roundup")},
    **{(name, 1): "truncate({0})" for name in ("trunc", "int", "fix")},
    **{(name, 1): "sign({0})" for name in ("sgn", "signum")},
    **{(name, 1): "{0}*{0}" for name in ("sqr", "square")},
    **{(name, 1): "{0}*pi/180" for name in ("radians", "deg2rad")},
    **{(name, 1): "{0}*180/pi" for name in ("degrees", "rad2deg")},
    ("fabs", 1): "abs({0})",
    ("ln", 1): "log({0})",
    ("log10", 1): "log({0})/log(10)",
    ("log", 2): "log({1})/log({0})",
    ("exp2", 1): "2 ** {0}",
    ("cbrt", 1): "{0} ** (1/3)",
    ("cot", 1): "1/tan({0})",
    ("sinh", 1): "(exp({0}) - exp(-{0}))/2",
    ("cosh", 1): "(exp({0}) + exp(-{0}))/2",
}


def not_arithmetic(term: Term) -> Iterator[tuple[Term, str, str]]:
    """The parts of a term that no number can come from, with what is wrong and what to write."""
    if isinstance(term, Var | Int | Float):
        return
    if isinstance(term, Items):
        yield term, f"the list `{written(term)}` stands where a number is needed", "write a number or a variable"
        return
    name, args = name_and_args(term)
    if (name, len(args)) in FUNCTIONS:
        for arg in args:
            yield from not_arithmetic(arg)
    elif args:
        instead = unavailable(term)
        yield (
            term,
            f"{name}/{len(args)} is not a function of arithmetic",
            instead[1] if instead else function_hint(term),
        )
    else:
        yield term, f"the name `{written(term)}` stands where a number is needed", _number_hint(name)


def is_function_elsewhere(term: Term) -> bool:
    """Whether other languages calculate what is written so."""
    return isinstance(term, Compound) and (term.functor, len(term.args)) in _ELSEWHERE


def function_hint(term: Term) -> str:
    """Say which functions there are in place of one that does not exist."""
    name, args = name_and_args(term)
    words = sorted({function for function, _ in FUNCTIONS if function.isalnum()})
    functions = f"the functions are + - * / // ** ^, {', '.join(words)}"
    if (name, len(args)) in _ELSEWHERE:
        form = _ELSEWHERE[name, len(args)]
        operands = [written(arg, 999 if f"({{{number}}})" in form else 200) for number, arg in enumerate(args)]
        return f"write {form.format(*operands)}; {functions}"
    return did_you_mean(name, words) or functions


def _number_hint(name: str) -> str:
    with suppress(ValueError):
        return date_hint(datetime.fromisoformat(name))
    if name[:1].isdigit():
        return f"write it without quotes: {name}"
    if not name[:1].isalpha():
        return "write a number or a variable"
    return f"write a number, or a variable: {name[:1].upper()}{name[1:]}; == compares names"
