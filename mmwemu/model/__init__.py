"""Closed forms that measurements are held against."""
