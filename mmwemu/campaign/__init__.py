"""Campaigns: simulations of several scenarios, RATs and seeds, in parallel, and what they have in common."""
