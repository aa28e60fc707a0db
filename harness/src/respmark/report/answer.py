"""The answer first: what each client does and costs, how sure that is, and what to be careful about."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from respmark.report.caveats import careful, listed
from respmark.report.guidance import in_one_line, with_figures
from respmark.report.header import machine_words
from respmark.report.notes import precision_line
from respmark.report.tables import Report
from respmark.report.uses import Choice, Use, uses_of
from respmark.results.manifest import Manifest
from respmark.statistics.cells import ReportCell

LINES: Final = 44
"""More lines, with the text around them, do not fit on a screen: then only some shapes are shown."""

LEGEND: Final = (
    "=: no difference shown, all clients of a use taken together (Holm). In parentheses: 95 % intervals. "
    "CPU: per command."
)


@dataclass(frozen=True)
class Answer:
    """The summary of a run."""

    header: tuple[str, ...]
    uses: tuple[Use, ...]
    legend: tuple[str, ...]
    careful: tuple[str, ...]
    closing: tuple[str, ...]
    """What published claims come to, and how well the run measured."""
    is_final: bool
    """False while the run goes on."""


def answer(report: Report, title: str | None = None) -> Answer:
    """Return the summary of a run.

    While it goes on, a title stands in place of the names of run and machine, and nothing is said of what is missing.
    """
    manifest, cells = report.manifest, report.cells
    chosen = _choice(manifest, cells)
    every = uses_of(cells, report.changes_by_block, chosen)
    shown = every if chosen is not Choice.SUITE else _fitting(every, str(manifest.workload["name"]))
    return Answer(
        tuple(_header(manifest)) if title is None else (title,),
        tuple(shown),
        tuple(_legend(cells, every, shown)),
        tuple(careful(manifest, cells)) if title is None else (),
        tuple(_closing(report)) if title is None else (),
        is_final=title is None,
    )


def _header(manifest: Manifest) -> Iterator[str]:
    target, workloads = manifest.target, list(manifest.workloads)
    yield f"run {manifest.run_id}: workload {listed(workloads)}, target {target.version}, {target.address}"
    yield f"machine {machine_words(manifest.machine)}"


def _choice(manifest: Manifest, cells: Iterable[ReportCell]) -> Choice:
    if manifest.named_clients:
        return Choice.NAMED
    return Choice.VARIANTS if _compares_variants(cells) else Choice.SUITE


def _compares_variants(cells: Iterable[ReportCell]) -> bool:
    """Return whether every block compares each of its libraries with itself, such as with and without TLS."""
    clients: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
    for cell in cells:
        clients[cell.block, cell.library].add(cell.client)
    return all(len(found) > 1 for found in clients.values())


def _fitting(every: list[Use], own: str) -> list[Use]:
    """Return all uses, or one of each scenario and form, or one of each scenario: whatever fits on a screen.

    If not all of them fit, those of the suite's own workload stand for the others.
    """
    with_own = {use.scenario for use in every if use.workload == own}
    few = [use for use in every if use.workload == own or use.scenario not in with_own]
    by_form = _typical(few, lambda use: (use.scenario, *use.form))
    by_scenario = _typical(few, lambda use: (use.scenario,))
    fits = (shown for shown in (every, by_form) if sum(use.height for use in shown) <= LINES)
    return next(fits, by_scenario)


def _typical(uses: list[Use], kind: Callable[[Use], tuple[str, ...]]) -> list[Use]:
    """Return the shape of each kind that most clients have, or the middle one if there are several such shapes."""
    kinds: dict[tuple[str, ...], list[Use]] = {}
    for use in uses:
        kinds.setdefault(kind(use), []).append(use)
    most = [[one for one in found if one.measured == max(use.measured for use in found)] for found in kinds.values()]
    return [found[(len(found) - 1) // 2] for found in most]


def _legend(cells: Sequence[ReportCell], every: list[Use], shown: list[Use]) -> Iterator[str]:
    if any(cell.standing and cell.standing.is_claimed for cell in cells):
        yield LEGEND
    elif any(use.measured for use in shown):
        yield "No differences are claimed: intervals need at least two rounds, with clients that took turns."
    if left_out := list(dict.fromkeys(use.label for use in every if use not in shown)):
        yield f"Not shown here: {listed(left_out, '; ')}"


def _closing(report: Report) -> Iterator[str]:
    # A question about some clients is not one about advice.
    if with_figures(report.verdicts) or (report.verdicts and not report.manifest.named_clients):
        yield in_one_line(report.verdicts)
    if known := precision_line(report.cells):
        yield known
    manifest = report.manifest
    if manifest.wall_s and manifest.measured_s is not None:
        took = f"{manifest.measured_s:,.0f} s of the run's {manifest.wall_s:,.0f} s"
        yield f"Measured slices took {took} ({100 * manifest.measured_s / manifest.wall_s:.0f} %)"
