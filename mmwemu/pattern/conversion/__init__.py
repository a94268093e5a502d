"""Conversion methods, each a module with one `Method`; `registry` lists them."""
