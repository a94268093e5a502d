"""File formats of patterns, one module each."""
