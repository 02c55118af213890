"""The checks of a description, a module each, in the order of `check.PASSES`."""
