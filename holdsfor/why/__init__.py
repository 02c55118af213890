"""Explanations: why a fluent holds at a time or an event happened, and why not.

An explanation is a second reading, not a recording: nothing is noted while the engine runs. When somebody asks,
`replay` evaluates the rules once more as they are written (no pass has made the plan cheaper) and keeps all relations;
`session` takes the world of a session's last query time. `walk` then goes from the fact to the rows of the input: it
runs each rule again with its head bound (`solutions`), takes one solution, and asks the same of each condition
(`bodies`). `inertia`, `static` and `patterns` do so for fluents and patterns. `influence` says which rows go with that,
though the tree does not show them: those that could have ended what holds, or made true what is negated. With them the
leaves of a tree are enough to conclude the fact again. `why_not` does the same for what is not so.

The JSON form of a tree, version 1
==================================

`Derivation.as_dict()` and `holdsfor why --json` give one object. Times are integers in ticks, terms are text as rules
write them, and what does not apply to a node is left out.

    version   1
    history   {start, end, tick}: points are start < t =< end. An interval is since =< t < until.
    nodes     node 0 is what was asked about. A node stands there once, whatever goes back to it
    rows      the evidence: the rows that nodes show, then those that were considered (they could have changed it).
              Each: row ("speed(v1,7) @ 3", "f(a)=true @ [4,9)", "e(a) @ [4,9]": as `read_events(format="terms")` reads
              them), arrival, source (the files)

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
    causes    places in nodes: the conditions of that clause that are not trivially true, in the order of evaluation
    ended     places in nodes: why the interval was over
    written   a condition as the clause has it
    notes     for people only
    rows      places in rows: of an input

Kinds of facts, with `by` where there are several ways:

    input     rows give it. What rules conclude beside given rows is a node of its own kind
    fact      a background fact, from a file of rules or a table
    happens   by "rule": causes are the conditions at `at`; by "pattern": causes[0] is the match, then conditions
    holds     by "initiated": the clause is true at `initiated` with causes, so that it holds from the next tick on, and
              no clause that terminates it, initiates another value or makes a deadline due is true at any later point
              of since..until; `alive` is the place of the node that says so, of a clause about all groundings alive
              by "initially": the clause is true at the first point
              by "deadline": source (a place) was `initiated` and held until `after` ticks later
              by "intervals": at all points of asked, by the interval expression of the clause
              by "pieces": each cause explains some points of asked, and all together explain all of them
    unkept    decided on input that is no longer kept: it has no causes and can be trusted or not
    call      a background predicate that is called, with the clause that is true for it; causes are its conditions

Kinds of conditions:

    comparison   left, op, right: the values (numbers, or terms as text)
    calculation  variable, value, expression with values
    begins, ends edge (start, end, startI, endI) of fact at `at`; causes[0] is the interval
    absent       looked_for: the conditions with values, `_` for any, as a list; of a pattern, and between the points
                 after, before; of an interval expression, during [from, to]. There is nothing like it in the evidence
    aggregate    function, value, solutions: a list of lists of places, the causes of each solution; values: of the term
    lasts        duration, op, bound, since, until; causes explain all of the interval
    related      relation (Allen), mode, pairs: a list of [places of the source, places of the target]; source and
                 target are intervals [since, until] in spans, a list of pairs of them
    near         within: the complement that has a bound; causes explain an interval that is so near
    match        a pattern: op (seq, and, par, or, equals, meets, during, starts, finishes, not, time, window, where),
                 since and at its span; causes are its parts in order, then conditions; policy with `instead`, the
                 spans of candidates that it did not take; within; of a window measures {name: value}
    declared     the grounding is declared, or alive from elsewhere

`why_not(...).as_dict()` has the same nodes, with `denied: true` on those that are not so (a comparison then has its
margin), and `changes`, each with text and, as far as there are, added, removed (rows) and fact.
"""
