"""Conformance: proof on the wire that each scenario is what its definition says."""
