"""Begin a stream or go on with one: check what a user asks for, lease and open the checkpoint.

Opening looks whether ledger, tables and Spark's log belong together, and makes again what can be made again: a commit
keeps the lines of Spark's log that the next start needs, and the tables a copy of each commit.
"""
