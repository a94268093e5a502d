"""The user's own client as an application: exit code, duration, and metrics that it reports."""
