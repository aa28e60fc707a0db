"""The relay between clients and server, which makes round trips and faults."""
