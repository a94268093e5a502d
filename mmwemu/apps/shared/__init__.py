"""What several applications use."""
