"""Zhang et al. 2016: transport layer over 5G mmWave, buffers and outages."""
