"""Krasilov et al. 2019: slow start of TCP in 5G mmWave cells."""
