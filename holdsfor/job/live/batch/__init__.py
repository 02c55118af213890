"""Do one batch on the driver: decide, try, commit, deliver."""
