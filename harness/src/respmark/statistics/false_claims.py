"""The claims of a run of a client against itself: all of them are false."""

from respmark.contract.base import Count, Message
from respmark.statistics.blocks import ShownRatio, comparisons_of
from respmark.statistics.cells import CountedRun
from respmark.statistics.compare import CONFIDENCE
from respmark.statistics.measured import COMPARED
from respmark.statistics.precision import Precision, precision_of


class MetricClaims(Precision):
    """The claims about one metric, over all comparisons."""

    false_claims: Count
    """Comparisons that show a difference, corrected for the others of their block."""
    intervals_without_1: Count
    """Comparisons whose own 95 % interval does not contain 1; 5 % are expected."""


class FalseClaims(Message):
    """How often differences were claimed where there are none."""

    run_id: str
    client: str
    scenario: str
    comparisons: Count
    false_claims: Count
    """Comparisons that claim a difference in any metric."""
    metrics: dict[str, MetricClaims]

    @property
    def within_confidence(self) -> bool:
        """Return whether no more is claimed than the stated confidence allows."""
        return self.false_claims <= (1 - CONFIDENCE) * self.comparisons


def false_claims(run: CountedRun) -> FalseClaims:
    """Return the claims of a run."""
    found = list(comparisons_of(run.blocks).values())
    first, precision = run.manifest.cells[0], precision_of(found)
    return FalseClaims(
        run_id=run.manifest.run_id,
        client=first.client.name,
        scenario=str(first.scenario),
        comparisons=len(found),
        false_claims=sum(any(one.ratio(metric).shown for metric in COMPARED) for one in found),
        metrics={metric: _claims([one.ratio(metric) for one in found], precision[metric]) for metric in COMPARED},
    )


def _claims(ratios: list[ShownRatio], precision: Precision) -> MetricClaims:
    outside = [one for one in ratios if one.low is not None and one.high is not None and not one.low <= 1 <= one.high]
    return MetricClaims(
        false_claims=sum(one.shown for one in ratios), intervals_without_1=len(outside), **precision.model_dump()
    )
