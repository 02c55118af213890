"""Read the bytes of text: fields, strings, numbers, facts, digests."""
