"""QUIC between two places: the server and the client of ngtcp2, what came, and what the server logs."""
