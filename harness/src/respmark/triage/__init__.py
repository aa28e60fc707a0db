"""`respmark triage`: what is done wrong with a live server, from its own counters; it only reads."""
