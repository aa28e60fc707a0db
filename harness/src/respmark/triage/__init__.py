"""`respmark triage`: finds what slows a live server down, from the server's own counters; it only reads."""
