"""Run the conditions of a rule: chains of operators on rows, arithmetic, look-ups, heads.

`Rows` are the bindings that a chain has found: named columns that refer to those of their parent. A filter on packed
keys copies one array. Arithmetic runs on arrays, which are exact up to 63 bits for integers and 53 for floats. Rows
whose bounds go further are calculated one at a time, with Python's integers.
"""
