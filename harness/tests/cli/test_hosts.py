"""The options of hosts."""

import pytest

from respmark.cli.hosts import HostOptions
from respmark.errors import InvalidRequestError
from respmark.machine.placement import BackendName, HostsWanted


def test_they_are_of_backends_that_have_hosts() -> None:
    """Those that were given are named elsewhere; without any, every other backend is on this machine."""
    assert HostOptions().wanted(BackendName.LOCAL) is None
    with pytest.raises(InvalidRequestError, match=r"^--hosts, --per-host: only with --via dask$"):
        HostOptions(hosts=2, per_host=3).wanted(BackendName.DOCKER)
    with pytest.raises(InvalidRequestError, match="--via dask needs --scheduler"):
        HostOptions(hosts=2).wanted(BackendName.DASK)
    wanted = HostOptions("local:3", hosts=2, per_host=4).wanted(BackendName.DASK)
    assert wanted == HostsWanted("local:3", most=2, per_host=4)


@pytest.mark.parametrize("options", [HostOptions("local:3", hosts=0), HostOptions("local:3", per_host=0)])
def test_numbers_are_at_least_one(options: HostOptions) -> None:
    with pytest.raises(InvalidRequestError, match=r"--(hosts|per-host) must be at least 1 \(is 0\)"):
        options.wanted(BackendName.DASK)
