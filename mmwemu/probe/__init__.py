"""What is measured beside an application: TCP state, round trips, the capability of the machine."""
