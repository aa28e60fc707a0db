"""What a cluster costs: a row a client, a column for each comparison with itself."""

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.record import LoopRecord
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import laps, make_run, unmeasured
from tests.report.reading import values
from tools.cluster_page import cluster_chapters

NODES = "valkey@9.1[primaries=3]"


def of_block(record: LoopRecord, server: str = "valkey@9.1") -> LoopRecord:
    """Return a record of a block that compares its client with itself, on a server."""
    ids = {"trial_id": f"{record.trial_id}-{server}", "cell_id": f"{record.cell_id}-{server}"}
    own = f"{record.client.name}-{record.workload}"
    return record.model_copy(update={"block": own, "server": server, **ids})


def split(record: LoopRecord) -> LoopRecord:
    """Return a record whose commands three nodes saw a part of each."""
    return record.model_copy(
        update={"slices": [one.model_copy(update={"split_calls": 3 * one.commands}) for one in record.slices]}
    )


def test_a_client_has_a_column_for_each_comparison_with_itself() -> None:
    """What a library cannot do stands in its place; where commands are split, so does into how many."""
    lacking = make_trial(Scenario.SYNC, Shape(), 1, make_client("other", library="other"), "mget-5")
    records = [
        *map(of_block, laps("lib", 1000)),
        *(of_block(one, NODES) for one in laps("lib", 800)),
        *map(of_block, laps("lib", 500, workload="mget-5")),
        *(split(of_block(one, NODES)) for one in laps("lib", 100, workload="mget-5")),
        of_block(unmeasured(Status.UNSUPPORTED, "it has none", lacking), NODES),
    ]
    (chapter,) = cluster_chapters(Report(make_run(*records), SHIPPED.scenarios))
    one_key, keys = chapter.tables
    assert values(one_key, "sync 3 nodes (alone)")["lib"].startswith("0.80 (")
    found = values(keys, "mget-5 3 nodes (alone)")
    assert found["lib"].startswith("0.20 (")
    assert found["lib"].endswith(", 3.00")
    assert found["other"] == "unsupported"
