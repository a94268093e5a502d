"""Headless DASH player: a program on the client that follows the rules of dash.js 5 without decoding.

It exists for one comparison only, that of its choices with those of dash.js in a browser. docs/explanation/streaming.md
describes the rules; constants are the defaults of dash.js 5.2.
"""
