"""From a scenario to the trace of a cell."""
