"""One module for each file format a pattern is read from or written to."""
