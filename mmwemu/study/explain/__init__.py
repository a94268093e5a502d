"""Where the time of one run went, and what a cause of it costs."""
