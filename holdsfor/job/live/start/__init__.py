"""Begin a stream or go on with one: check what a user asks for, lease and open the checkpoint."""
