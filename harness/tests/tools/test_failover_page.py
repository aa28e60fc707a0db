"""The table of docs/cluster.md that says what to set."""

from respmark.contract.trial import Fault
from respmark.kinds.faults.record import FaultRecord, Wait
from tests.builders.plan import SHIPPED
from tests.kinds.faults.builders import fault_run, make_figures, under
from tools.failover_page import AS_INSTALLED, answer, sentinels, settings


def outage(name: str, fault: Fault, outage_s: float, *, is_over: bool = True) -> FaultRecord:
    return under(fault, name, make_figures(outage=Wait(s=outage_s, is_over=is_over)))


def test_a_library_has_a_row_as_installed_and_one_for_what_to_set() -> None:
    """A library without settings to compare has no row."""
    installed = fault_run(
        outage("jedis", Fault.FAILOVER_KILL, 9.5),
        outage("predis", Fault.FAILOVER_KILL, 4.0),
    )
    limited = fault_run(
        outage("jedis[limits=strict]", Fault.FAILOVER_KILL, 3.25),
        outage("jedis[limits=strict]", Fault.FAILOVER_STOP, 4.5),
        outage("lettuce[topology-refresh=5s]", Fault.FAILOVER_KILL, 5.0),
    )
    rows = {line.split(" | ")[0]: line for line in settings(SHIPPED, [installed, limited]).splitlines()}
    assert rows["| `jedis`"] == f"| `jedis` | {AS_INSTALLED} | 1 | 9.50 |  |  |  |"
    assert "`maxAttempts` | 1 | 3.25 | 4.50 |" in rows["| `jedis[limits=strict]`"]
    assert (
        "`ClusterTopologyRefreshOptions.enablePeriodicRefresh`, every 5 s | 1 | 5.00 |"
        in rows["| `lettuce[topology-refresh=5s]`"]
    )
    assert "| `predis`" not in rows
    assert settings(SHIPPED, []) == "\nNot measured yet.\n\n"


def test_settings_that_make_an_outage_endless_are_named() -> None:
    """Only where it ends as installed."""
    installed = fault_run(
        outage("redis-rs", Fault.FAILOVER_KILL, 3.0), outage("redis-rs", Fault.FAILOVER_STOP, 75.0, is_over=False)
    )
    limited = fault_run(
        outage("redis-rs[limits=strict]", Fault.FAILOVER_KILL, 75.0, is_over=False),
        outage("redis-rs[limits=strict]", Fault.FAILOVER_STOP, 75.0, is_over=False),
        outage("redis-rs[limits=1s]", Fault.FAILOVER_KILL, 2.5),
    )
    warning = settings(SHIPPED, [installed, limited]).splitlines()[1]
    assert warning.endswith("did not end with `redis-rs[limits=strict]` (failover-kill).")


def test_the_answer_has_the_shortest_and_the_longest_outage_as_installed() -> None:
    """A row for each way in which a primary goes that the runs have, with the servers' own share."""
    run = fault_run(
        outage("jedis", Fault.FAILOVER_KILL, 9.5),
        outage("predis", Fault.FAILOVER_KILL, 4.0),
        outage("lettuce", Fault.FAILOVER_KILL, 75.0, is_over=False),
        outage("jedis[limits=strict]", Fault.FAILOVER_KILL, 1.0),
    )
    told, table, watched = answer([run], [run])
    assert "longer than 30 s" in told
    assert "replaces: 1 of 3 where it is killed." in told
    assert table.splitlines()[2:] == [
        "| is killed | 8.00 to 8.00 | 4.00 (`predis`) to > 75.0 (`lettuce`) | `lettuce` |"
    ]
    assert watched == "[Behind sentinels](#behind-sentinels), so many had: 1 of 3 where it is killed.\n"
    assert list(answer([], [])) == []


def test_behind_sentinels_a_row_has_the_outage_and_lost_writes_of_each_fault() -> None:
    run = fault_run(outage("jedis", Fault.FAILOVER_KILL, 3.5), outage("jedis", Fault.FAILOVER_PLANNED, 0.5))
    told, table = sentinels(run)
    assert "8.00 to 8.00 s where it is killed; 8.00 to 8.00 s where it hands over." in told
    assert table.splitlines()[0] == (
        "|  | no reply: failover-kill | lost: failover-kill | no reply: failover-planned | lost: failover-planned |"
    )
    assert table.splitlines()[2:] == ["| `jedis` | 3.50 | 0 | 0.50 | 0 |"]
