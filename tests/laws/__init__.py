"""Laws that hold for every description and stream, tried on random ones."""
