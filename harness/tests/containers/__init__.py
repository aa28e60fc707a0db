"""Containers, without any: docker is a script that says what a test wants."""
