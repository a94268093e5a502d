"""Web sites of our own making: exact number of objects, exact bytes, the same for the same seed."""
