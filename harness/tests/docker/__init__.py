"""Containers for real: these tests need a docker engine and run by `make test-docker`."""
