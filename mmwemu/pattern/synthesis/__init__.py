"""Patterns that are drawn rather than measured, one module for each kind; the same seed gives the same pattern."""
