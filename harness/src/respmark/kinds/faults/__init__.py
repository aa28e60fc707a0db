"""Faults: what callers see of a client library while something breaks between them and their server, and is mended."""
