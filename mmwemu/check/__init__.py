"""Checks: thresholds on what applications experience, judged by as few runs as it takes."""
