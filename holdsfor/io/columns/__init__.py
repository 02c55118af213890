"""Turn Arrow columns into columns of terms, and back into bytes.

`wire` is the one format of tasks and state files: the blocks of a message share a list of terms and a few long
columns.
"""
