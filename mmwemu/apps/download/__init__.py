"""Downloads: by curl from nginx, and over HTTP/3 by the programs of ngtcp2."""
