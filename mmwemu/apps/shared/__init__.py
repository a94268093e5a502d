"""Parts shared by several applications: browser, web server, strict reading of results."""
