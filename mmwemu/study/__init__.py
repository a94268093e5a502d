"""Experiments: what is run how often, over which patterns, and kept where."""
