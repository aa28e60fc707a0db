"""Cold starts as a kind of trial: their figures, and the table of them: a row a client, a column a stage."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell
from respmark.kinds.cold_start.metrics import STAGES, StartFigures, rounds_of
from respmark.kinds.cold_start.record import StartsRecord
from respmark.report.columns import Fact, FigureColumn, RatioColumn, Section, plain
from respmark.report.kind import Kind
from respmark.report.labels import plural
from respmark.report.notes import PARTIAL, without_baseline
from respmark.results.manifest import Manifest

NOTES: Final = (
    "ms from the request for a process to its first reply: medians of the starts of a round, medians over rounds",
    (
        "runtime: until the first line of the program; load: the library, and the adapter's file (empty: it is a part "
        "of the program, in runtime); create: the client; connect: its connection (empty: in create); first command: a "
        "GET"
    ),
    "start: the median of whole starts, which is not the sum of the medians of their stages",
    (
        "what the program does for itself between two stages, such as reading its orders, is in none of them; what it "
        "has then loaded (JSON) a library need not load again"
    ),
)
RATIOS: Final = (
    "ratios compare the same rounds, with 95 % intervals over rounds (Student's t); `=`: no difference from the "
    "baseline is shown once all ratios of the block are corrected for (Holm)"
)


def _spread(found: StartFigures) -> str:
    if found.start_low_ms is None or found.start_high_ms is None:
        return ""
    return f"{numbers.significant(found.start_low_ms)} to {numbers.significant(found.start_high_ms)}"


def _notes(cells: Sequence[Cell], baseline: str | None) -> Iterator[str]:
    yield from without_baseline(cells, baseline)
    if any(cell.is_partial for cell in cells):
        yield PARTIAL
    yield from NOTES
    if any(cell.comparison is not None for cell in cells):
        yield RATIOS


def _laps(manifest: Manifest) -> str:
    return f"{plural(manifest.laps, 'start')} of each client, in turns"


def _outcome(found: Mapping[str, Any]) -> str:
    return f"{plural(found['starts'], 'start')}, median {numbers.milliseconds(found['start_ms'])} ms"


STARTS: Final = Kind(
    scenarios=(Scenario.COLD_START,),
    record=StartsRecord,
    rounds=rounds_of,
    figures=StartFigures,
    main="start",
    turns="Starts of versions took turns, one after the other; the server counted one GET of each",
    own_columns=(
        FigureColumn("start_ms", "start ms", lambda found: numbers.significant(found.start_ms)),
        RatioColumn("start"),
        *(FigureColumn(f"{stage}_ms", head, plain(f"{stage}_ms"), is_extra=True) for stage, head in STAGES.items()),
        FigureColumn("start_low_ms", "10 to 90 %", _spread, is_extra=True),
    ),
    own_facts={
        Section.FIGURES: (
            Fact("start_ms", "to the first reply", lambda found: f"{numbers.significant(found.start_ms)} ms"),
            Fact("start_low_ms", "eight starts of ten", lambda found: f"{_spread(found)} ms" if _spread(found) else ""),
            *(
                Fact(f"{stage}_ms", head.replace("\n", " "), plain(f"{stage}_ms", "ms"))
                for stage, head in STAGES.items()
            ),
            Fact("starts", "starts", "{:,}", names_rounds=True),
        )
    },
    table_notes=_notes,
    laps=_laps,
    in_cell="ms to the first reply",
    about="Clients took turns in random order, each start in a process of its own. The server counted one GET of each.",
    outcome=_outcome,
)
