"""Decide by which arguments each definition is evaluated, in which stage, and what travels there.

All data about one key is in one bucket. Rows reach it in three ways: they are shared out, if they have all variables
of the key; they follow a tuple that has one of their arguments; or they go everywhere. A rule whose conditions share
other variables than its head has is split: its conclusion is a relation of its own, found where its conditions meet.
"""
