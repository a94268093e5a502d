"""Patterns: what a link does over time, ready to be replayed."""
