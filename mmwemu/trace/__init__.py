"""Traces: radio quality, rate and queue of a simulated or measured cell over time."""
