"""Why not: why a fluent does not hold at a time, or an event did not happen, and what would have made it true.

`attempts` tries each rule with all values and takes those with which most of its conditions are true. `denial` tells
which are false, asks the same of what rules define, and notes in `proposals` what could change that. `refutation` is
the answer: it applies the proposals, one by one, and keeps those that make the fact true.
"""
