"""Check a description: a module for each pass, in the order of `check.PASSES`.

A pass reports and goes on. A mistake is reported once, by the pass that sees its cause.
"""
