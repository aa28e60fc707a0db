"""Which workers of a Dask cluster run clients: by what the scheduler knows of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, NothingRanError
from respmark.runners.dask import Cluster, check_reached

WORKERS = {
    "tcp://10.0.0.8:1": {"name": "b-2", "nthreads": 1},
    "tcp://10.0.0.7:1": {"name": "b-1"},
    "tcp://10.0.0.9:1": {"name": "server"},
}


@pytest.fixture
def connected() -> Cluster:
    client: Any = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": WORKERS if n_workers == -1 else {}})
    return Cluster(client, "tcp://10.0.0.5:8786")


def test_workers_are_taken_in_the_order_of_their_names(connected: Cluster) -> None:
    """As many as were asked for; the message about too few says how many there are."""
    assert [one.removeprefix("tcp://10.0.0.")[0] for one in connected.clients()] == ["7", "8", "9"]
    assert connected.clients(1) == ["tcp://10.0.0.7:1"]
    with pytest.raises(NothingRanError, match="has only 3; --hosts asks for 4"):
        connected.clients(4)


def test_a_node_that_hosts_elsewhere_cannot_reach_is_refused() -> None:
    """Whatever the address of the server that was named: it says where its others are."""
    here, there = (Endpoint(host=host, port=7001) for host in ("127.0.0.1", "10.0.0.6"))
    with pytest.raises(InvalidRequestError, match=r"127\.0\.0\.1:7001 is this machine's own: host b-1 cannot reach it"):
        check_reached(here, ["b-1", "b-2"])
    check_reached(there, ["b-1"])
    check_reached(here, [])
