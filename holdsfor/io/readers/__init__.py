"""Read files and tables into blocks of events, a part at a time.

A kernel finds the ends of all fields, 64 bytes at a time; then each column is read in one go. Columns that are unlike
their first row are read again by themselves. A text that the kernels cannot read goes to Arrow's reader, which gives
the same rows and rejects. Rows that no rule reads, or that are refused, still tell their time.

A column of text is numbers or names as a whole. Each part types its columns by what it has; where parts differ, those
of the other type are read once more, with the type that all agree on.
"""
