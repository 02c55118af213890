"""Explanations: why a fluent holds at a time or an event happened, and why not.

An explanation is a second reading, not a recording: nothing is noted while the engine runs. When somebody asks,
`reach` finds the groundings that the rules reach from the question, and their rows; `replay` evaluates these by the
rules as they are written (no pass has made the plan cheaper) and keeps all relations; `session` takes the world of a
session's last query time. `walk` then goes from the fact to the rows of the input: it runs each rule again with its
head bound (`solutions`), takes one solution, and asks the same of each condition; `constructs` says how for conditions,
fluents and patterns. `influence` says which rows go with that, though the tree does
not show them: those that could have ended what holds, or made true what is negated. With them the leaves of a tree
are enough to conclude the fact again. `why_not` does the same for what is not so, `changed` for the lines of the log
of changes. `printing` and `plain` write trees; `places` knows where facts and clauses stand, and what sentences their
author has for them.

The JSON form of a tree, version 1
==================================

`Derivation.as_dict()` and `holdsfor why --json` give one object. Times are integers in ticks, terms are text as rules
write them, and what does not apply to a node is left out.

    version   1
    history   {start, end, tick}: points are start < t =< end. An interval is since =< t < until.
    nodes     node 0 is what was asked about. A node stands there once, whatever goes back to it
    rows      the evidence: the rows that nodes show, then those that were considered (they could have changed it).
              Each: row ("speed(v1,7) @ 3 arrives 3", "f(a)=true @ [4,9) arrives 4", "e(a) @ [4,9] arrives 9": as
              `read_events(..., format="terms")` reads them), arrival, source (the files)

Each node has

    kind      see below
    what      the claim in words: a fluent with its value, an event, or a condition with its values
    fact      of holds, happens, input, fact, begins, ends, call: the claim as a ground term, `f(a)=true` or `e(a)`
    at        when it is so: of events and conditions at a point
    since, until   of fluents and durations: the maximal interval (no until: it is open). Of events and patterns that
              take time: since and at are the first and the last point
    asked     [from, to]: the points from =< t < to of the interval that causes explain; all of it if it is left out
    rule      {file, line} of the clause that concludes it, or of the background fact
    bindings  values of the variables of that clause, by the names that its author gave them
    causes    places in nodes: the conditions of that clause, in the order of evaluation, without those that are
              known before any data. Those of a clause that it calls are causes of one `call`
    ended     places in nodes: why the interval was over
    written   a condition as the clause has it
    said      the sentence that its author has for the fact
    notes     for people only
    rows      places in rows: of an input

Kinds of facts, with `by` where there are several ways:

    input     rows give it. What rules conclude beside given rows is a node of its own kind
    fact      a background fact, from a file of rules or a table
    happens   by "rule": causes are the conditions at `at`; by "pattern": causes[0] is the match (or a happens that is
              all of it), then conditions
    holds     by "initiated": the clause is true at `initiated` with causes, so that it holds from the next tick on, and
              no clause that terminates it, initiates another value or makes a deadline due is true at any later point
              of since..until. alive: of a clause about all groundings that are alive; causes[0] says that it was
              by "initially": the clause is true at the first point
              by "deadline": causes[0], the source, was `initiated` and held until `after` ticks later
              by "intervals": at all points of asked, by the interval expression of the clause
              by "pieces": each cause explains some points of asked, and all together explain all of them
    unkept    decided on input that is no longer kept: it has no causes and can be trusted or not
    call      a background predicate that is called, with the clause that is true for it; causes are its conditions

Kinds of conditions:

    comparison   left, op, right: the values (numbers, or terms as text)
    calculation  value, op (is, =), expression with values
    begins, ends edge (start, end, startI, endI) of fact at `at`; causes[0] is the interval
    absent       looked_for: the conditions with values, `_` for any, as a list. Of a pattern: after, before, the points
                 between which there is none; of an interval expression: during [from, to], the points at which not
    aggregate    function (count, sum, min, max), value; each cause is a solution
    solution     of an aggregate: bindings of its own variables, value of the term (not of a count), causes
    lasts        duration, op, bound, since, until; causes explain all of the interval
    related      relation (Allen's), mode; each cause is a pair
    pair         spans: [since, until] of source and target (until null: open); causes: the first `source` are those of
                 the source, the others those of the target
    near         within: a complement that has a bound; causes explain an interval that is so near to `at`
    match        a part of a pattern: op (seq, and, par, equals, meets, during, starts, finishes, or, not, where, time,
                 window, interval), since and at its span, within, policy; causes are its parts in order, then
                 conditions. Of a window: measures {function: value}, and the causes are the occurrences in it
    chosen       policy; instead: spans [begin, end] of matches with the same begin or end that it did not take
    declared     the grounding is declared
    ending       (in `ended`) by "terminated": the clause is true at `at`; by "initiated": one of another value is;
                 by "deadline": as of `holds`

`why_not(...)` has nodes with denied: true for what is not so (`absent` facts, `failed` conditions, comparisons with
`margin`), one `attempt` for each rule with the bindings that came furthest, and `changes`: texts of verified changes.
"""
