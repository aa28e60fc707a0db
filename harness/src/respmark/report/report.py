"""What is reported of a run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from respmark.contract.trial import Scenario
from respmark.guidance.verdict import JudgedClaim
from respmark.report.scenarios import Sort
from respmark.results.manifest import Manifest
from respmark.specs.scenario import ScenarioSpec
from respmark.statistics.blocks import VersionChange, version_changes
from respmark.statistics.cells import CountedRun, ReportCell, cells_of


@dataclass(frozen=True)
class Report:
    """The figures of one run, and how they are to be shown."""

    run: CountedRun
    specs: Mapping[Scenario, ScenarioSpec]
    """Of its scenarios, as they were when it was measured."""
    cells: tuple[ReportCell, ...]
    changes: tuple[VersionChange, ...]
    """New versions of libraries compared with old ones; all of them are one family."""
    changes_by_block: tuple[VersionChange, ...]
    """The same; those of each block are a family."""
    baseline: str | None = None
    """The client that others are compared with; by default each block's first."""
    sort: Sort = Sort.RPS
    verdicts: tuple[JudgedClaim, ...] = ()
    """Published claims, each with its verdict on this run; empty if they were not asked for."""

    @property
    def manifest(self) -> Manifest:
        """Return the run's manifest."""
        return self.run.manifest


def make_report(
    run: CountedRun,
    specs: dict[Scenario, ScenarioSpec],
    baseline: str | None = None,
    sort: Sort = Sort.RPS,
    verdicts: Iterable[JudgedClaim] = (),
) -> Report:
    """Return the report of a run; `baseline` is a client, by default each block's first."""
    looks = run.manifest.looks
    return Report(
        run,
        run.manifest.defined(specs),
        tuple(cells_of(run, baseline)),
        tuple(version_changes(run.blocks, looks)),
        tuple(version_changes(run.blocks, looks, by_block=True)),
        baseline,
        sort,
        tuple(verdicts),
    )
