"""Web server in a testbed: nginx, or caddy for HTTP/3."""
