"""Which workloads a plan has: the suite's own, and those that its trials name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.plan.trial import Cell
from respmark.specs.catalogue import Catalogue
from respmark.specs.suite import SuiteSpec, TrialsSpec
from respmark.workload.spec import WorkloadSpec


@dataclass(frozen=True)
class Workloads:
    """The workloads of a plan."""

    own: WorkloadSpec
    """The suite's, or the one that the user asked for instead of all."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Their names, by the words that trials use for them: names or paths."""
    others: Mapping[str, WorkloadSpec] = field(default_factory=dict)
    """Those besides the suite's own, by name."""

    def of(self, trials: TrialsSpec) -> list[str | None]:
        """Return the names of the workloads of trials, each once; None: the suite's own."""
        names = dict.fromkeys(self.names[word] for word in trials.workloads) or [self.own.name]
        return [name if name in self.others else None for name in names]

    def named(self, name: str | None) -> WorkloadSpec:
        """Return a workload by its name; None: the suite's own."""
        return self.own if name is None else self.others[name]

    def used_by(self, cells: Iterable[Cell]) -> "Workloads":
        """Return these workloads, without any of `others` that no cell uses."""
        used = {cell.workload for cell in cells}
        return replace(self, others={name: spec for name, spec in self.others.items() if name in used})


def workloads_of(suite: SuiteSpec, trials: Iterable[TrialsSpec], catalogue: Catalogue, beside: Path) -> Workloads:
    """Return the workloads of a suite's trials; `beside` is the folder that its paths are relative to.

    Raises:
        InvalidRequestError: a workload does not exist, or two different ones have the same name.
    """
    own = catalogue.workload(suite.workload, beside)
    words = dict.fromkeys(word for one in trials for word in one.workloads)
    named = {word: catalogue.workload(word, beside) for word in words}
    every: dict[str, WorkloadSpec] = {own.name: own}
    for word, spec in named.items():
        if every.setdefault(spec.name, spec) != spec:
            message = (
                f"suite `{suite.name}` has two workloads with the name `{spec.name}`: results tell workloads by their "
                f"names, so give the one of `{word}` another"
            )
            raise InvalidRequestError(message)
    others = {name: spec for name, spec in every.items() if name != own.name}
    return Workloads(own, {word: spec.name for word, spec in named.items()}, others)
