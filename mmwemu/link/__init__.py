"""One replay of a pattern through a link, and whether the link kept its word; no module here touches a device."""
