"""Proxies at the edge that TCP connections of the clients pass through."""
