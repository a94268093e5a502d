"""Papers: their studies, and what they claim, as data."""
