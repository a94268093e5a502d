"""Patterns: rate, delay and loss of a link over time."""
