"""Replay a pattern to real applications: the testbed and the link in it."""
