"""Where clients run."""

import pytest

from respmark.cli.via import Via, Way
from respmark.errors import InvalidRequestError
from tests.builders.plan import SHIPPED


@pytest.mark.parametrize(
    ("via", "said"),
    [
        (Via(hosts=2, per_host=3), "^--hosts, --per-host: only with --via dask$"),
        (Via(Way.DOCKER, insecure_scheduler=True), "^--insecure-scheduler: only with --via dask$"),
        (Via(Way.DASK, hosts=2), "--via dask needs --scheduler"),
        (Via(Way.DASK, "local:3", hosts=0), r"--hosts must be at least 1 \(is 0\)"),
        (Via(Way.DASK, "local:3", per_host=0), r"--per-host must be at least 1 \(is 0\)"),
    ],
)
def test_options_of_hosts_are_for_hosts(via: Via, said: str) -> None:
    """Those that were given are named elsewhere."""
    with pytest.raises(InvalidRequestError, match=said):
        via.check([], [], SHIPPED)


def test_it_says_where_runners_are() -> None:
    """In `plan`; without any option, they are processes here."""
    Via().check([], [], SHIPPED)
    assert Via().words is None
    assert Via(Way.DASK, "local:3", hosts=2).words == (
        "each runner on a host of the cluster at local:3: 2 of its workers"
    )
