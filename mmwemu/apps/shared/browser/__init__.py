"""A headless browser, driven by a program for Node."""
