"""Conformance: what each scenario is by its definition, proved on the wire."""
