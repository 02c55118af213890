"""Read one file format each."""
