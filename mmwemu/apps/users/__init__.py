"""Users who fetch files of random sizes with random pauses."""
