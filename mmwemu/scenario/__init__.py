"""Radio scenarios: where base station, user equipment and obstacles are, and how the radio is set."""
