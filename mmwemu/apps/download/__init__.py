"""Files fetched by curl from nginx."""
