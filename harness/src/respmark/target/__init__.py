"""The server under test: finding or starting it, reaching it, and its state before a trial."""
