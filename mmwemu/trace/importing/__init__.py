"""Traces from files that simulations with the public ns3-mmwave module wrote."""
