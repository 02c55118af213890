"""Turn blocks of input into relations: which rows count, at which query times.

A row happened at t, arrived at a, is first seen at the first query time Q at or after a, and counts if t > Q -
window. A durative row loses the part that had left the window. The last message about a row stands. Rows far off all
others, which would take the room of the rest, are set aside.
"""
