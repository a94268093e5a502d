#!/usr/bin/env python3
"""A small application: a list of articles, loaded over HTTP.

feed.py serve                       serves the list and its articles at port 8000
feed.py load [--new-connections]    loads all of them and prints how long that took, as JSON
"""

import argparse
import http.client
import http.server
import json
import os
import time

ARTICLES, ARTICLE_BYTES, PORT = 12, 20_000, 8000


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers /list by the addresses of the articles, anything else by an article."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        """Answer a request."""
        addresses = [f"/articles/{i}" for i in range(ARTICLES)]
        body = json.dumps(addresses).encode() if self.path == "/list" else bytes(ARTICLE_BYTES)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        """Log nothing."""


def load(server, *, new_connections):
    """Load the list and each article; return the seconds until the first article and until the last."""
    begin_s = time.monotonic()
    connection = http.client.HTTPConnection(server, PORT, timeout=20)

    def get(path):
        if new_connections:
            connection.close()
        connection.request("GET", path)
        return connection.getresponse().read()

    arrived_s = []
    for path in json.loads(get("/list")):
        assert len(get(path)) == ARTICLE_BYTES
        arrived_s.append(time.monotonic() - begin_s)
    return arrived_s[0], arrived_s[-1]


def main():
    """Serve, or load and say how long it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["serve", "load"])
    parser.add_argument("--new-connections", action="store_true", help="for each article, as an older version did")
    asked = parser.parse_args()
    if asked.what == "serve":
        http.server.ThreadingHTTPServer(("", PORT), Handler).serve_forever()
    first_s, feed_s = load(os.environ["MMWEMU_SERVER"], new_connections=asked.new_connections)
    print(json.dumps({"first_article_s": first_s, "feed_s": feed_s}))


if __name__ == "__main__":
    main()
