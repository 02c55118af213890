"""Turn relations into tables, change logs and texts.

A term is Prolog text inside: `7`, `'7'` and `'M-004'` are three terms. Quotes come off where tables are made, for a
change log after its ids.

Which kinds of terms an argument has had (numbers, true or false, others) is counted like rows, and gives the columns of
wide tables their types. Streams do not count; there the texts decide.
"""
