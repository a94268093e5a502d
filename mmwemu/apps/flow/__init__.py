"""Bulk flows by iperf3 with ping beside them."""
