"""Evaluate simple fluents that depend on each other or have deadlines, by a state machine.

What does not ask for the group is a chain as any other. What is left are actions: initiate or terminate this slot at
this time, if these slots hold. Where rules name one grounding only, each grounding is simulated by itself; otherwise
all actions pass in the order of time, and deadlines wait in a heap.
"""
