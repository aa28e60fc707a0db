"""A run that is reported: its figures, each computed when it is first asked for, and how they are to be shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change, Family, changes, per_block, together
from respmark.figures.pairing import versions
from respmark.figures.ranking import cells_of
from respmark.figures.series import Series, releases_of
from respmark.guidance.verdict import JudgedClaim, verdicts_of
from respmark.report.header import header_lines
from respmark.report.kind import Kind, kind_of
from respmark.report.scenarios import Sort
from respmark.results.manifest import Manifest
from respmark.specs.catalogue import Catalogue
from respmark.specs.names import name_parts
from respmark.specs.scenario import ScenarioSpec


@dataclass(frozen=True)
class Report:
    """The figures of one run, and how they are to be shown."""

    run: RunFigures
    shipped: Mapping[Scenario, ScenarioSpec]
    """The scenarios of this version of the suite; those of the run come first."""
    baseline: str | None = None
    """The client that others are compared with; by default each block's first."""
    sort: Sort = Sort.RPS
    claims: Catalogue | None = None
    """Whose published claims are judged by this run; None: none are."""
    pins: Mapping[str, str] = field(default_factory=dict)
    """The version of each library that is measured where none is named; empty: it has none. Rows of another version
    name it."""
    colors: Mapping[str, int] = field(default_factory=dict)
    """The number of each library's colour in charts, where it has its own."""

    @classmethod
    def of(cls, run: RunFigures, catalogue: Catalogue, baseline: str | None = None, sort: Sort = Sort.RPS) -> "Report":
        """Return the report of a run, with a catalogue's claims, pinned versions and colours."""
        return cls(run, catalogue.scenarios, baseline, sort, catalogue, catalogue.pins, catalogue.colors)

    @property
    def kind(self) -> Kind:
        """Return the kind of its trials."""
        return kind_of(self.run)

    @property
    def header(self) -> list[str]:
        """Return the lines above its tables."""
        return header_lines(self.manifest, self.kind.laps and self.kind.laps(self.manifest))

    @property
    def manifest(self) -> Manifest:
        """Return the run's manifest."""
        return self.run.manifest

    @property
    def specs(self) -> Mapping[Scenario, ScenarioSpec]:
        """Return its scenarios, as they were when it was measured."""
        return self.manifest.defined(self.shipped)

    @cached_property
    def cells(self) -> list[Cell]:
        """Return its cells, compared, and named after what was loaded."""
        cells = cells_of(self.run, self.baseline)
        loaded = {one.client: one.library_version for one in cells if one.library_version}
        named = {one.client: self._named_version(one, loaded.get(one.client)) for one in cells}
        return [replace(one, named_version=named[one.client]) for one in cells]

    def _named_version(self, cell: Cell, loaded: str | None) -> str | None:
        is_pinned = loaded == self.pins.get(cell.library, loaded)
        return None if is_pinned or name_parts(cell.client).version else loaded

    @cached_property
    def verdicts(self) -> Sequence[JudgedClaim]:
        """Return the published claims, each with its verdict on this run."""
        if self.claims is None or not (self.kind.has_claims or self.kind.bounded):
            return []
        return verdicts_of(self.run, self.claims, with_advice=self.kind.has_claims)

    @cached_property
    def timelines(self) -> list[Series]:
        """Return the releases of a library, by use; none unless the run is a series of them."""
        return releases_of(self.run)

    @cached_property
    def changes(self) -> list[Change]:
        """Return new versions of libraries compared with old ones; all of them are one family.

        None in a series of releases, whose timelines say it.
        """
        return self._versions(together)

    @cached_property
    def changes_by_block(self) -> list[Change]:
        """Return the same; those of each block are a family."""
        return self._versions(per_block)

    def _versions(self, family: Family) -> list[Change]:
        found = [] if self.timelines else changes(versions(self.run), family)
        return [one for one in found if one.main.is_known]
