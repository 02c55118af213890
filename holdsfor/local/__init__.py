"""This process as a host: the whole history at once, a session that goes on, and streams. Without a JVM."""
