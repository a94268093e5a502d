"""Downloads by curl from nginx."""
