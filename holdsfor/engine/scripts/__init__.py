"""Write rules as scripts that one kernel follows, 1,024 rows at a time (`holdsfor.kernels.scripts`).

A script has the rules of a fluent that only scan and test rows: comparisons, arithmetic, the one fact about a term,
whether something holds or happens at the same time. All other rules are done by operators, and the points are merged.
Calculations are in floats; where an integer is too large for them, operators do it all again.
"""
