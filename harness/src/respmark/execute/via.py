"""Which way of starting runners and target `--via` names."""

from collections.abc import Callable

from respmark.execute.backend import Backend, LocalBackend
from respmark.placement import BackendName, Placement


def backend_named(via: BackendName, placement: Placement, note: Callable[[str], None]) -> Backend:
    """Return the backend of this name; `note` is called with what takes long."""
    if via is BackendName.LOCAL:
        return LocalBackend(placement)
    from respmark.execute.docker_backend import in_containers  # noqa: PLC0415 - takes long to load, and few runs need it

    return in_containers(placement, note)
