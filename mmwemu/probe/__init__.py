"""Measurements beside an application: TCP state, round trips, capability of the machine."""
