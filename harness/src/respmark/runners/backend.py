"""How runners and target are started: as processes on this machine, in containers, or on hosts of a cluster."""

from collections.abc import Callable
from functools import partial

from respmark.machine.placement import BackendName, HostsWanted, Placement
from respmark.runners.local import open_local
from respmark.runners.protocol import OpenExecutor


def opener(
    via: BackendName, placement: Placement, note: Callable[[str], None], wanted: HostsWanted | None = None
) -> OpenExecutor:
    """Return what gets ready to start runners; `note` is called with what takes long, `wanted` are hosts of a cluster."""
    if via is BackendName.DOCKER:
        from respmark.runners.docker import open_docker  # noqa: PLC0415 - takes long to load, and few runs need it
        from respmark.runners.docker_engine import Images  # noqa: PLC0415 - as above

        return partial(open_docker, placement, Images(note))
    if wanted is not None:
        from respmark.runners.open_hosts import open_hosts  # noqa: PLC0415 - as above

        return partial(open_hosts, placement, wanted)
    return partial(open_local, placement)
