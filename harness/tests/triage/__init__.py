"""`respmark triage`."""
