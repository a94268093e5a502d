"""Polese et al. 2017: milliProxy, a TCP proxy at the base station."""
