"""Which workers of a Dask cluster run clients: by what the scheduler knows of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from respmark.errors import InvalidRequestError, NothingRanError
from respmark.machine.placement import HostsWanted
from respmark.runners.dask_hosts import Cluster

WORKERS = {
    "tcp://10.0.0.8:1": {"name": "b-2", "resources": {}},
    "tcp://10.0.0.7:1": {"name": "b-1", "resources": {"clients": 1}},
    "tcp://10.0.0.9:1": {"name": "server"},
}


@pytest.fixture
def connected() -> Cluster:
    client: Any = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": WORKERS if n_workers == -1 else {}})
    return Cluster(client, "tcp://10.0.0.5:8786")


def addresses(connected: Cluster, **asked: Any) -> list[str]:  # noqa: ANN401 - fields of HostsWanted
    return [one.removeprefix("tcp://10.0.0.")[0] for one in connected.clients(HostsWanted(connected.address, **asked))]


def test_workers_are_chosen_by_resource_and_by_name(connected: Cluster) -> None:
    """In the order of their names; as many as were asked for."""
    assert addresses(connected) == ["7", "8", "9"]
    assert addresses(connected, only="clients") == ["7"]
    assert addresses(connected, only="b-*", most=2) == ["7", "8"]
    assert addresses(connected, most=1) == ["7"]


def test_the_worker_on_the_servers_host_runs_no_client(connected: Cluster) -> None:
    """Whether it is named or addressed; one that does not exist is refused with those that do."""
    assert addresses(connected, server="server") == addresses(connected, server="tcp://10.0.0.9:1") == ["7", "8"]
    with pytest.raises(
        InvalidRequestError, match="--server-host db: there is no such worker; choose from b-1, b-2, se"
    ):
        addresses(connected, server="db")


def test_too_few_workers_are_refused(connected: Cluster) -> None:
    """The message says which workers counted."""
    with pytest.raises(
        NothingRanError, match="has only 1 with the resource clients, or a name like it; --hosts asks f"
    ):
        addresses(connected, only="clients", most=2)
    with pytest.raises(NothingRanError, match="has no worker with the resource nobody"):
        addresses(connected, only="nobody")
