"""The relay that makes a round trip between clients and server."""
