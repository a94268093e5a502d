"""Real applications over the link: servers, clients and what they measured."""
