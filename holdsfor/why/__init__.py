"""Explanations: why a fluent holds at a time or an event happened, and why not.

An explanation is a second reading, not a recording: nothing is noted while the engine runs. When somebody asks,
`replay` evaluates the rules once more as they are written (no pass has made the plan cheaper) and keeps all relations;
`session` takes the world of a session's last query time. `walk` then goes from the fact to the rows of the input: it
runs each rule again with its head bound (`solutions`), takes one solution, and asks the same of each condition
(`bodies`). `inertia`, `static` and `patterns` do so for fluents and patterns. `influence` says which rows go with that,
though the tree does not show them: those that could have ended what holds, or made true what is negated. With them the
leaves of a tree are enough to conclude the fact again. `why_not` does the same for what is not so.
"""
