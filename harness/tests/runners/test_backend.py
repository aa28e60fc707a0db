"""Where trials run."""

import os
from pathlib import Path

import pytest

from respmark.errors import InvalidRequestError
from respmark.machine.guardian import Guardian
from respmark.machine.placement import Placement
from respmark.network.relay import LOOPBACK
from respmark.runners.local import open_local
from tests.builders.plan import SHIPPED
from tests.runners.conftest import docker

__all__ = ["docker"]


def test_processes_need_no_containers(tmp_path: Path, guardian: Guardian) -> None:
    """A server that is a container is refused; a server of ours runs on its CPUs, and what we do ourselves does not."""
    first = min(os.sched_getaffinity(0))
    with open_local(SHIPPED, guardian, tmp_path, "r", placement=Placement(server=str(first), clients=None)) as opened:
        assert opened.containers([]) is None
        assert opened.listen_address == LOOPBACK
        with pytest.raises(InvalidRequestError, match="add --via docker"):
            opened.open_server(SHIPPED.server("valkey"), allow_flush=False)
        server = opened.open_server(SHIPPED.server("spawned"), allow_flush=False)
        assert server.pid is not None
        assert os.sched_getaffinity(server.pid) == {first}
        server.close()
