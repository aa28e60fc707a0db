"""What a run of a client against itself claims: all of it falsely."""

from statistics import median

from respmark.contract.base import Count, Message
from respmark.results.store import Run
from respmark.statistics.blocks import METRICS, Comparison, ShownRatio, comparisons_of
from respmark.statistics.compare import CONFIDENCE


class MetricClaims(Message):
    """One metric of all comparisons."""

    false_claims: Count
    """Comparisons that show a difference, corrected for the others of their block."""
    intervals_without_1: Count
    """Comparisons whose own 95 % interval does not hold 1: 5 % are to be expected."""
    half_width_percent_median: float | None
    """Half of the interval's width; null: too few rounds for intervals."""
    half_width_percent_90: float | None
    """Nine of ten intervals are at most so wide."""


class FalseClaims(Message):
    """How often differences were claimed where there are none."""

    run_id: str
    client: str
    scenario: str
    comparisons: Count
    false_claims: Count
    """Comparisons that claim a difference of any metric."""
    metrics: dict[str, MetricClaims]

    @property
    def within_confidence(self) -> bool:
        """Tell whether no more is claimed than the stated confidence allows."""
        return self.false_claims <= (1 - CONFIDENCE) * self.comparisons


def false_claims(run: Run) -> FalseClaims:
    """Return what the run claims."""
    found = list(comparisons_of(run.records).values())
    first = run.manifest.cells[0]
    return FalseClaims(
        run_id=run.manifest.run_id,
        client=first.client.name,
        scenario=str(first.scenario),
        comparisons=len(found),
        false_claims=sum(any(_ratio(one, metric).shown for metric in METRICS) for one in found),
        metrics={metric: _claims([_ratio(one, metric) for one in found]) for metric in METRICS},
    )


def _ratio(comparison: Comparison, metric: str) -> ShownRatio:
    ratio: ShownRatio = getattr(comparison, metric)
    return ratio


def _claims(ratios: list[ShownRatio]) -> MetricClaims:
    widths = sorted((one.high - one.low) / 2 * 100 for one in ratios if one.low is not None and one.high is not None)
    outside = [one for one in ratios if one.low is not None and one.high is not None and not one.low <= 1 <= one.high]
    return MetricClaims(
        false_claims=sum(one.shown for one in ratios),
        intervals_without_1=len(outside),
        half_width_percent_median=median(widths) if widths else None,
        half_width_percent_90=widths[int(0.9 * (len(widths) - 1))] if widths else None,
    )
