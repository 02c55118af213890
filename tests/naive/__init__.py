"""A slow, obviously right evaluator of event descriptions, and random programs to hold the engine against it."""
