"""Hurtig 2019: applications over emulated 5G mmWave links."""
