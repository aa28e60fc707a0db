"""The metrics of cold starts: what a round says of a client's starts, and how rounds combine."""

from collections.abc import Sequence
from itertools import chain
from statistics import median, quantiles
from typing import Any, Final

import polars as pl
from polars import col

from respmark.figures.metric import MEDIAN, SUM, Compared, Figures, Over, metric
from respmark.kinds.cold_start.record import StartsRecord
from respmark.results.read import ReadRun
from respmark.results.records import Status

STAGES: Final = {
    "runtime": "runtime",
    "load": "load",
    "create": "create",
    "connect": "connect",
    "first": "first\ncommand",
}
"""The stages of a start, with the headings of their columns."""
SHARES: Final = 10
"""Of the starts, that the interval leaves out on either side: a tenth."""
COLUMNS: Final[dict[str, Any]] = {
    **dict.fromkeys(("trial_id", "cell_id"), pl.String),
    **dict.fromkeys(("round", "lost", "starts"), pl.Int64),
    **dict.fromkeys(("start_ns", *(f"{stage}_ns" for stage in STAGES)), pl.Float64),
    "every_ns": pl.List(pl.Float64),
}


def rounds_of(run: ReadRun) -> pl.DataFrame:
    """Return a row for each trial with starts: the medians of the whole and of each stage, and all starts."""
    found = [one for one in run.trials if isinstance(one, StartsRecord) and one.status is Status.OK and one.starts]
    rows = [(one.trial_id, one.cell_id, one.round, 0, len(one.starts), *_medians(one), _totals(one)) for one in found]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _totals(record: StartsRecord) -> list[float]:
    return [float(one.total_ns) for one in record.starts]


def _medians(record: StartsRecord) -> list[float | None]:
    stages = [[getattr(one, f"{stage}_ns") for one in record.starts] for stage in STAGES]
    known = [[value for value in stage if value is not None] for stage in [_totals(record), *stages]]
    return [float(median(values)) if values else None for values in known]


def _tenth(place: int) -> Over:
    """Return a bound of what all but a tenth of the starts on either side take; none if they are fewer than ten."""

    def of(rounds: Sequence[Sequence[float]]) -> float | None:
        every = list(chain.from_iterable(rounds))
        return None if len(every) < SHARES else quantiles(every, n=SHARES)[place] / 1e6

    return Over("all starts together", of)


class StartFigures(Figures):
    """The figures of a client's cold starts; a round's value is the median of its starts."""

    starts: int = metric("starts", col("starts"), SUM)
    """Starts that count."""
    start_ms: float = metric(
        "ms",
        col("start_ns") / 1e6,
        MEDIAN,
        compared=Compared("start", "start", in_series=True, noun="time to the first reply"),
    )
    """From the request for a process to its first reply, without what the program does for itself between two
    stages."""
    start_low_ms: float | None = metric("ms", col("every_ns"), _tenth(0))
    """A tenth of the starts took less; null if they are fewer than ten."""
    start_high_ms: float | None = metric("ms", col("every_ns"), _tenth(-1))
    """A tenth of the starts took longer; null if they are fewer than ten."""
    runtime_ms: float = metric("ms", col("runtime_ns") / 1e6, MEDIAN)
    """From the request for a process to the first line of its program."""
    load_ms: float | None = metric(
        "ms", col("load_ns") / 1e6, MEDIAN, compared=Compared("load", "load", noun="time to load")
    )
    """The library is loaded, with the adapter's own file; null: it is a part of the program, in `runtime_ms`."""
    create_ms: float = metric("ms", col("create_ns") / 1e6, MEDIAN)
    """The client is made, with what it needs to be waited for, such as an event loop."""
    connect_ms: float | None = metric("ms", col("connect_ns") / 1e6, MEDIAN)
    """Its connection is open; null: the library connects as it makes the client."""
    first_ms: float = metric("ms", col("first_ns") / 1e6, MEDIAN)
    """The first command has its reply."""
