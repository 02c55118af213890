"""The words that the language itself gives a meaning."""

from __future__ import annotations

from typing import Literal as OneOf

#: Predicates of the Event Calculus, and how each is written.
FORMS: dict[str, str] = {
    "happensAt": "happensAt(event, T)",
    "initiatedAt": "initiatedAt(fluent=value, T)",
    "terminatedAt": "terminatedAt(fluent=value, T)",
    "initiates": "initiates(event, fluent=value, T)",
    "terminates": "terminates(event, fluent=value, T)",
    "holdsAt": "holdsAt(fluent=value, T)",
    "holdsFor": "holdsFor(fluent=value, I)",
    "union_all": "union_all([I1, I2], I)",
    "intersect_all": "intersect_all([I1, I2], I)",
    "relative_complement_all": "relative_complement_all(I1, [I2, I3], I)",
    "complement_all": "complement_all([I1, I2], I)",
    "intDurGreater": "intDurGreater(I1, duration, I)",
    "findall": "findall(X, goal, L)",
    "initially": "initially(fluent=value)",
    "fi": "fi(fluent=value, fluent=value, duration)",
    "grounding": "grounding(fluent=value) or grounding(event)",
    "collectIntervals": "collectIntervals(fluent=value)",
    "buildFromPoints": "buildFromPoints(fluent=value)",
    "points": "points(fluent=value)",
    "dynamicDomain": "dynamicDomain(predicate(_))",
}

#: Duration filters, and the comparison of a duration with the bound that each makes.
DURATIONS: dict[str, OneOf[">", ">=", "<", "=<"]] = {
    "intDurGreater": ">",
    "intDurGreaterEqual": ">=",
    "intDurLess": "<",
    "intDurLessEqual": "=<",
}

ALLEN = frozenset({"before", "meets", "starts", "finishes", "during", "overlaps", "equal"})

#: Declarations of older versions of RTEC: accepted, with no effect.
LEGACY: frozenset[tuple[str, int]] = frozenset(
    {
        ("index", 2),
        ("needsGrounding", 3),
        ("inputEntity", 1),
        ("outputEntity", 1),
        ("event", 1),
        ("simpleFluent", 1),
        ("sDFluent", 1),
        ("cyclic", 1),
        ("cachingOrder", 1),
        ("cachingOrder", 2),
        ("cachingOrder2", 2),
        ("collectIntervals2", 2),
        ("buildFromPoints2", 2),
        ("collectGrounds", 2),
        ("dgrounded", 2),
        ("internalEntity", 1),
        ("happensAtIE", 2),
        ("holdsForIESI", 2),
        ("holdsAtIE", 2),
    }
)

#: Directives that say nothing about the meaning of rules.
DIRECTIVES = frozenset(
    {"dynamic", "discontiguous", "multifile", "table", "use_module", "ensure_loaded", "set_prolog_flag", "style_check"}
    | {"module", "initialization", "consult", "include"}
)

#: Prolog predicates that have no place in an event description, and why.
SIDE_EFFECTS: dict[str, str] = {
    **dict.fromkeys(
        ("assert", "asserta", "assertz", "retract", "retractall", "abolish"), "changes facts while rules run"
    ),
    **dict.fromkeys(("write", "writeln", "print", "format", "nl", "read", "tell", "see", "consult"), "reads or writes"),
    **dict.fromkeys(("nb_setval", "nb_getval", "b_setval", "b_getval", "flag"), "uses global variables"),
    **dict.fromkeys(("call", "apply", "once", "ignore", "forall", "catch", "throw"), "calls other goals"),
    **dict.fromkeys(("bagof", "setof", "aggregate_all", "maplist", "foldl"), "collects answers"),
    **dict.fromkeys(
        ("functor", "arg", "copy_term", "=..", "atom_concat", "atom_codes", "sub_atom"), "takes terms apart"
    ),
    **dict.fromkeys(
        ("append", "member", "memberchk", "nth0", "nth1", "reverse", "sort", "msort", "last"), "works on lists"
    ),
    **dict.fromkeys(("atom", "number", "integer", "float", "var", "nonvar", "ground", "compound"), "tests types"),
    **dict.fromkeys(("between", "succ", "plus", "atom_number", "number_codes", "term_to_atom"), "is not built in"),
}
#: Predicates on the lists that findall gives.
LISTS = frozenset({"length", "sum_list", "sumlist", "min_list", "max_list"})

ARITHMETIC_COMPARISONS = frozenset({"<", ">", "=<", ">=", "=:=", "=\\="})
COMPARISONS = ARITHMETIC_COMPARISONS | {"=", "\\=", "==", "\\==", "@<", "@>", "@=<", "@>="}

#: Functions of arithmetic: name and number of arguments.
FUNCTIONS: frozenset[tuple[str, int]] = frozenset(
    {(name, 2) for name in ("+", "-", "*", "/", "//", "mod", "rem", "**", "^", "min", "max", "atan2", "atan")}
    | {(name, 1) for name in ("-", "+", "abs", "sign", "sqrt", "exp", "log", "log2", "sin", "cos", "tan")}
    | {(name, 1) for name in ("asin", "acos", "atan", "floor", "ceiling", "round", "truncate", "integer", "float")}
    | {("pi", 0), ("e", 0), ("inf", 0)}
)
