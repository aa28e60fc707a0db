"""The specs: data in TOML files, read once and checked at the edge."""
