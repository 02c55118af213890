"""Evaluate a plan on blocks of events, by kernels over one sorted axis.

`data` is what is evaluated, `bodies` evaluates a rule, `definitions`, `groups` and `patterns` a definition. `input`
decides which rows count, `output` makes tables and changes. `stepping` goes from query time to query time,
`incremental` by what changes. `scripts` is a faster way for the most common rules.
"""
