"""Experiments: applications run over patterns, in a planned order, with results kept as they come."""
