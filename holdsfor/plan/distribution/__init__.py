"""Decide by which arguments each definition is evaluated, in which stage, and what travels there.

All data about one key is in one bucket. Rows reach it in three ways: they are shared out, if they have all variables
of the key; they follow a tuple that has one of their arguments; or they go everywhere. A rule whose conditions share
other variables than its head has is split: its conclusion is a relation of its own, found where its conditions meet.

Which tuples a row follows is known from *links*: the relations in which a tuple must be for the definition to hold at
all. What a stage defines is read there only by definitions with the same key; all others are in a later stage. Of the
keys that fit, the one with the fewest stages is taken. What has no argument in common is evaluated in one bucket, and
`holdsfor check` says so.
"""
