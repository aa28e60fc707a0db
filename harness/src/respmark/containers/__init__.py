"""Containers: docker and docker compose, what they mean when they fail, and that nothing of ours stays behind."""
