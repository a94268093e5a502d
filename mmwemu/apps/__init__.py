"""Real applications over the emulated link: servers, clients and records."""
