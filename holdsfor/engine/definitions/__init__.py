"""Evaluate one definition: simple fluents, output events, interval algebra, domains, closures.

A simple fluent merges initiations and terminations of each value; those of its other values end it as well. An
interval expression is compiled to functions, one for each operator. A closure of a recursive predicate depends on no
event and is worked out once, in rounds that join only what the last round has added.
"""
