"""Playback of a DASH film, by dash.js in a headless browser or by a player without decoder."""
