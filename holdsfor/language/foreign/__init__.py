"""Read what was written for other programs: files that RTEC compiled, and those of its first version, as rules.

Each module is a pass over raw clauses, before any is read. Clauses in our own form stay as they are.
"""
