"""The slices that were recorded of clients against themselves."""

from bench.estimators import METRICS, blocks_of, read
from respmark.paths import CHECKOUT


def test_the_recorded_slices_read() -> None:
    """Whatever else is compared by now: of each metric, 30 blocks of five rounds with six copies."""
    observations = list(read(CHECKOUT / "harness" / "bench" / "data" / "aa.csv.gz"))
    assert len(observations) == 3_600
    for metric in range(len(METRICS)):
        blocks = blocks_of(observations, metric)
        assert {(len(rounds), len(rounds[0])) for rounds in blocks.values()} == {(5, 6)}
        assert len(blocks) == 30
