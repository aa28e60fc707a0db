"""Which workers of a Dask cluster run clients: by what the scheduler knows of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from respmark.errors import NothingRanError
from respmark.runners.dask import Cluster

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
