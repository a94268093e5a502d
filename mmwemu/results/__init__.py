"""What experiments measured: records, and the folders they are kept in."""
