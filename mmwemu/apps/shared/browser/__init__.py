"""Headless browser and its driver, a Node program."""
