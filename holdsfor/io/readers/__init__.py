"""From files and tables to blocks of events."""
