"""The commands, and a trial step by step."""
