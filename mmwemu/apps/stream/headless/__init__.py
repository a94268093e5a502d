"""A DASH player that follows the rules of dash.js 5 and does not decode; a program of its own, run on the client.

The rules are described in docs/explanation/streaming.md; constants are the defaults of dash.js 5.2.
"""
