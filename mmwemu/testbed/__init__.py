"""Places where programs run, and the links between them."""
