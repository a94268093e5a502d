"""Shared base of all other packages: errors, units, files, processes, progress."""
