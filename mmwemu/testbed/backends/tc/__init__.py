"""The backend of the kernel's queueing disciplines: tbf for rate, netem for delay and loss."""
