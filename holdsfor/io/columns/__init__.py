"""Turn Arrow columns into columns of terms, and back into bytes."""
