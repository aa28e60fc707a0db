"""Each load that is wrong on purpose is found, and nothing else: the table of docs/triage.md."""

import pytest

from respmark.triage.findings import Finding
from respmark.triage.options import WatchOptions
from respmark.triage.watch import watch
from tests.triage.builders import make_judge
from tests.triage.conftest import Start, connect_to
from tools.triage_loads.loads import LOADS, Load, running


def findings(load: Load, start: Start, *, monitor: bool = False) -> list[Finding]:
    server = start(*load.settings)
    with running(load, connect_to(server)):
        snapshot = watch(server.endpoint, WatchOptions(1.0, keys=load.keys, monitor=monitor))
    return make_judge().findings(snapshot.nodes[0])


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.name)
def test_a_load_is_found_and_nothing_else(load: Load, start: Start) -> None:
    """What is wrong has one name; of a clean load, nothing is said."""
    assert [one.id for one in findings(load, start)] == list(load.finds)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SET, then EXPIRE", "SETs that were followed by an EXPIRE of the same key"),
        ("a list is polled", "from the list that the same connection had popped from just before"),
        ("one SET after another", "of one name in a row, each with another key"),
        ("conflicts of WATCH", "MONITOR saw"),
    ],
)
def test_monitor_adds_what_follows_what(name: str, said: str, start: Start) -> None:
    """The finding is the same; its evidence says more, and names the connection."""
    (found,) = findings(next(load for load in LOADS if load.name == name), start, monitor=True)
    assert said in found.seen[0].evidence
    assert found.clients[0].address.startswith("127.0.0.1:")


def test_the_client_is_named(start: Start) -> None:
    """Where the server knows its library (from 7.2 on), that as well; its address in any case."""
    (found,) = findings(next(load for load in LOADS if load.name == "KEYS"), start)
    assert [one.address.partition(":")[0] for one in found.clients] == ["127.0.0.1"]
