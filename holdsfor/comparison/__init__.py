"""Compare two versions of rules: what a change of rules changes, before anybody switches.

`holdsfor.plan.comparison` tells which definitions changed, and which depend on those. `histories` tells which intervals
and occurrences appear, vanish, grow and shrink in the same events. `sweep` recognises with one number of a rule after
the other. `diff` puts them together.
"""
