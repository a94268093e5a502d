"""Chen et al. 2020: TCP over a 60 GHz link behind a long wired way."""
