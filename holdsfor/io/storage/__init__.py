"""Files that outlive a process: whole or not at all, with an owner and a log."""
