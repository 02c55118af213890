"""Test rules: events and what must come of them, in every way that Holdsfor can evaluate them.

`blocks` finds the fenced blocks of a text, and `suite` makes tests of them, in the format of the documents. `run`
judges a test: `reach` sees that its events can make what it claims, `modes` recognises them whole, by windows, in
another order and live, `claims` compares what came out, and `run` asks why of what is wrong. `report` prints it,
`plugin` is for pytest. `coverage` says what tests have not tried of the rules, `shrink` makes a test of a history.
"""
