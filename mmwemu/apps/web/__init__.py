"""Page loads in a headless browser; driver/ holds the Node program that drives the browser."""
