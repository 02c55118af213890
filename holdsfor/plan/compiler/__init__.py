"""Turn a description into operators.

A body is unfolded (calls of background rules, disjunctions), folded (equalities, single facts), given variables for
its times, and put in order: every variable is bound before it is used. Variables are named by first use, so that
rules that begin alike have equal beginnings. A fluent whose values are all written in rules becomes a relation for
each value.
"""
