"""The wire: parsers, proxy, shape and picture."""
