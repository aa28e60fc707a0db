"""Containers: docker and docker compose, and the removal of everything that is ours."""
