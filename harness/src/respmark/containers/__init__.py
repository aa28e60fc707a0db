"""Containers: docker and docker compose, what their errors mean, and the removal of everything that is ours."""
