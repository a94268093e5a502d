"""How far two courses of a rate over time are alike: pure functions."""
