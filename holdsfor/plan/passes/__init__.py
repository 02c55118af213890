"""Make a plan cheaper: a tuple of passes from plan to plan (`optimise.py`), none of which changes an answer.

Nothing is known of the data yet, so a pass does only what is right, or better, for any data.

An operator moves only where it finds bound what it found bound as written, and never into a beginning that other rules
have too: a join that is done once for three rules is cheaper than three joins of fewer rows.
"""
