"""Events in, results out: files, tables and text to columns, and back."""
