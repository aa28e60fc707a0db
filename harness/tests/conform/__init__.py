"""Conformance: every lie is caught, and what is honest conforms."""
