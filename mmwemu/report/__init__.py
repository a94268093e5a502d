"""Statistics and figures of results."""
