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
    """A target that is a container is refused; a server of ours runs on its CPUs, and what we do ourselves does not."""
    first = min(os.sched_getaffinity(0))
    with open_local(SHIPPED, guardian, tmp_path, "r", placement=Placement(target=str(first), clients=None)) as opened:
        assert opened.containers([]) is None
        assert opened.listen_address == LOOPBACK
        with pytest.raises(InvalidRequestError, match="add --via docker"):
            opened.open_target(SHIPPED.target("valkey"), allow_flush=False)
        target = opened.open_target(SHIPPED.target("spawned"), allow_flush=False)
        assert target.pid is not None
        assert os.sched_getaffinity(target.pid) == {first}
        target.close()
