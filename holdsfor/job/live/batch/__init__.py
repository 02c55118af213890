"""Do one batch on the driver: decide, try, commit, deliver.

A batch that fails for what it has read is tried again, and then without the units that make it fail: those go into
quarantine.
"""
