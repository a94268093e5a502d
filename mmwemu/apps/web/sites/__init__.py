"""Web sites: made with exact numbers of objects and bytes, saved from a browser, or recorded."""
