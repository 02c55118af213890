"""Make a plan cheaper: a tuple of passes from plan to plan (`optimise.py`), none of which changes an answer.

Nothing is known of the data yet, so a pass does only what is right, or better, for any data.
"""
