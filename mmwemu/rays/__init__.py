"""Rays: the paths from a base station to each point of a route, traced by Sionna RT or imported."""
