"""Coverage of rules by tests: which rules fired, which conditions were true and false, which borders were tried.

`measure` evaluates a test once more from the rules as they are written, and goes through each rule condition by
condition. `records` keeps what all tests have tried. `summary` writes it as text, `page` as a page of the rule files.
"""
