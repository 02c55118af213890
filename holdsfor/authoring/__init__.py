"""Write rules as Python objects: the same language as rule text, with the same checks, plan and answers.

`parts` has what conditions are made of, `definitions` what is defined and the names that conditions use, `statements`
one clause each, and `assembly` puts them together; `advice` says in Python what its checks find. `lowering` turns
statements into raw clauses with their places in the Python file: `lowering_terms`, `lowering_conditions` and
`lowering_patterns` each add a part. `translate` writes rule text as Python, from `translation_terms`, `translation`
(conditions, patterns) and `translation_intervals`.
"""

from __future__ import annotations

from holdsfor.authoring.assembly import rules
from holdsfor.authoring.definitions import Symbol, changing, event, events, facts, fluent, given, pattern, predicate
from holdsfor.authoring.functions import RuleCondition, RuleFunction, condition, function
from holdsfor.authoring.parts import (
    Calculation,
    Condition,
    Variable,
    choose,
    compare,
    count,
    end,
    first_point,
    goal,
    greatest,
    initiated,
    least,
    measure,
    moment,
    none_of,
    now,
    point_after,
    start,
    term,
    terminated,
    total,
    variables,
)
from holdsfor.authoring.statements import (
    RuleStatement,
    clause,
    deadline,
    declare,
    define,
    directive,
    ends,
    grounding,
    happens,
    holds,
    initially,
    matches,
    renewed,
    starts,
)

__all__ = [
    "Calculation",
    "Condition",
    "RuleCondition",
    "RuleFunction",
    "RuleStatement",
    "Symbol",
    "Variable",
    "changing",
    "choose",
    "clause",
    "compare",
    "condition",
    "count",
    "deadline",
    "declare",
    "define",
    "directive",
    "end",
    "ends",
    "event",
    "events",
    "facts",
    "first_point",
    "fluent",
    "function",
    "given",
    "goal",
    "greatest",
    "grounding",
    "happens",
    "holds",
    "initially",
    "initiated",
    "least",
    "matches",
    "measure",
    "moment",
    "none_of",
    "now",
    "pattern",
    "point_after",
    "predicate",
    "renewed",
    "rules",
    "start",
    "starts",
    "term",
    "terminated",
    "total",
    "variables",
]
