"""The words that the language itself gives a meaning."""

from __future__ import annotations

from typing import Literal as OneOf

from holdsfor.language import arithmetic

#: How a pattern chooses among the pairs that it could make.
Policy = OneOf["unrestricted", "recent", "chronological"]

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
    "allen": "allen(relation, I1, I2, mode, I)",
    "findall": "findall(X, goal, L)",
    "initially": "initially(fluent=value)",
    "fi": "fi(fluent=value, fluent=value, duration)",
    "p": "p(fluent=value)",
    "grounding": "grounding(fluent=value) or grounding(event)",
    "collectIntervals": "collectIntervals(fluent=value)",
    "buildFromPoints": "buildFromPoints(fluent=value)",
    "points": "points(fluent=value)",
    "dynamicDomain": "dynamicDomain(predicate(_))",
    "bound": "bound(name/arity, ticks)",
}

#: Duration filters, and the comparison of a duration with the bound that each makes.
DURATIONS: dict[str, OneOf[">", ">=", "<", "=<"]] = {
    "intDurGreater": ">",
    "intDurGreaterEqual": ">=",
    "intDurLess": "<",
    "intDurLessEqual": "=<",
    # the same, as one would say it
    "longer_than": ">",
    "at_least": ">=",
    "shorter_than": "<",
    "at_most": "=<",
}

ALLEN = ("before", "meets", "starts", "finishes", "during", "overlaps", "equal")

#: What a relation of Allen's gives, as it is written and as it is called here.
MODES: dict[str, str] = {
    "source": "source",
    "lhs": "source",
    "target": "target",
    "rhs": "target",
    "union": "union",
    "intersection": "intersection",
    "relative_complement": "relative_complement",
    "relative_complement_inverse": "relative_complement_inverse",
}

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

#: Directives that load other rule files.
LOADING = frozenset({"consult", "include", "ensure_loaded", "load_files"})

#: Directives that make predicates known.
KNOWN = frozenset({"dynamic", "discontiguous", "multifile", "table", "public", "thread_local"})

#: Directives that say nothing about the meaning of rules.
DIRECTIVES = (
    LOADING
    | KNOWN
    | {"use_module", "module", "initialization", "meta_predicate", "set_prolog_flag", "style_check", "yap_flag"}
    | {"expects_dialect", "encoding", "license", "set_stream", "source", "garbage_collect"}
)

#: Functions of the lists that findall gives.
LISTS: dict[str, OneOf["count", "sum", "min", "max"]] = {
    "length": "count",
    "sum_list": "sum",
    "sumlist": "sum",
    "min_list": "min",
    "max_list": "max",
}

ARITHMETIC_COMPARISONS = frozenset({"<", ">", "=<", ">=", "=:=", "=\\="})
COMPARISONS = ARITHMETIC_COMPARISONS | {"=", "\\=", "==", "\\==", "@<", "@>", "@=<", "@>="}

#: Functions of arithmetic: name and number of arguments.
FUNCTIONS: frozenset[tuple[str, int]] = frozenset(arithmetic.FUNCTIONS) | {("pi", 0), ("e", 0), ("inf", 0)}
