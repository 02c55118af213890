"""Hold what is evaluated: terms and their codes, the packed axis, rows, relations, facts, the world.

A grounding and a time are one integer of 63 bits on the axis: codes of the arguments, then the time relative to an
origin. All groundings of a fluent are one sorted line, so that union over ten thousand vessels is one merge. The
dictionary gives a code to each term that rules treat as a term; numbers that are only compared have none. Columns are
lazy, because most columns of most rows are never asked for.
"""
