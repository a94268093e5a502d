"""Radio scenarios: positions of base station, user equipment (UE) and obstacles, and settings of the radio."""
