"""Bulk flows by iperf3 with concurrent ping."""
