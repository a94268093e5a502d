"""One page in a headless browser, measured: runner/ has the program for Node that drives the browser."""
