"""Statistics, summaries and figures of results."""
