"""Traces: what a simulated (or measured) cell gave over time."""
