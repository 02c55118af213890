"""Write rules as Python objects: the same language as rule text, with the same checks, plan and answers.

`parts` has what conditions are made of, `definitions` what is defined and the names that conditions use, `statements`
one clause each, `lowering` turns them into raw clauses with their places in the Python file, and `translate` writes
rule text as Python.
"""
