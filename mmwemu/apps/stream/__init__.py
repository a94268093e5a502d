"""A DASH film played for a while, by dash.js in a headless browser or by a player of our own that does not decode."""
