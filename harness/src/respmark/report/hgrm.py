"""Latencies of a run's cells as percentile files of HdrHistogram (`.hgrm`), which its plotter and other tools read."""

from collections.abc import Iterator

import numpy as np

from respmark.histogram import HALF, Histogram, highest, merge
from respmark.results.records import Status
from respmark.results.store import Run

TICKS_PER_HALF_DISTANCE = 5
"""Rows until the distance to 100 % is halved, as in HdrHistogram's tools."""
NS_PER_MS = 1e6
HEAD = f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}\n\n"


def percentile_files(run: Run) -> Iterator[tuple[str, str]]:
    """Yield name and text of each measured cell's file: all `ok` rounds together, values in milliseconds."""
    for records in run.by_cell():
        good = [record for record in records if record.status is Status.OK]
        latencies = [result.latency for record in good for result in record.results]
        histogram = merge(latency.histogram for latency in latencies)
        if histogram:
            most_ns = max(latency.max_ns for latency in latencies)
            yield f"{records[0].cell_id}.hgrm", "".join([HEAD, *_rows(histogram), *_footer(histogram, most_ns)])


def _rows(histogram: Histogram) -> Iterator[str]:
    """Yield a row per step of the percentile, starting at 0; steps become smaller as its distance to 100 % does."""
    seen = np.cumsum(histogram.counts)
    total = int(seen[-1])
    percentile = 0.0
    while (place := int(np.searchsorted(seen, percentile * total / 100))) < len(seen) - 1:
        yield _row(histogram, place, percentile, int(seen[place]))
        percentile += (100 - percentile) / (2 * TICKS_PER_HALF_DISTANCE)
    yield _row(histogram, len(seen) - 1, 100, total)


def _row(histogram: Histogram, place: int, percentile: float, seen: int) -> str:
    value_ms = highest(histogram[place][0]) / NS_PER_MS
    row = f"{value_ms:12.6f} {percentile / 100:2.12f} {seen:10d}"
    left = 100 - percentile
    return f"{row} {100 / left:14.2f}\n" if left else f"{row}\n"


def _footer(histogram: Histogram, most_ns: int) -> Iterator[str]:
    total = histogram.samples
    mean = histogram.sum_ns / total
    deviation = float(np.sqrt((histogram.counts * (histogram.values_ns - mean) ** 2).sum() / total))
    yield f"#[Mean    = {mean / NS_PER_MS:12.6f}, StdDeviation   = {deviation / NS_PER_MS:12.6f}]\n"
    yield f"#[Max     = {most_ns / NS_PER_MS:12.6f}, TotalCount     = {total:12d}]\n"
    yield f"#[Buckets = {len(histogram):12d}, SubBuckets     = {2 * HALF:12d}]\n"
