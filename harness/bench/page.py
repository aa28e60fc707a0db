"""How much time and memory the report of a large run takes: reading, figures, tables and the page.

    cd harness && ../.build/harness/bin/python -m bench.page --trials 10000
    cd harness && ../.build/harness/bin/python -m bench.page --trials 10000 --more cells

The trials are those of the published run, repeated: as further rounds, or as further depths, so there are more cells.
Each size runs in a separate process. Prints the CPU time of each stage in seconds, the peak memory, and the page's
size: if costs are linear, they grow in proportion to the trials.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Final, TypeVar

import cyclopts

from respmark.figures.cells import RunFigures, read_figures
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.record import LoopRecord
from respmark.kinds.loops.slices import read_loops
from respmark.machine.kernel import peak_memory_bytes
from respmark.report.data import to_csv
from respmark.report.document import document
from respmark.report.html.page import page
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.results.manifest import CellDescription
from respmark.results.store import MANIFEST, TRIALS, line_of, read_manifest, write_model
from respmark.specs.catalogue import Catalogue
from tools.readme import PUBLISHED

MIB: Final = 2**20
STEPS: Final = (10, 2, 1)
"""The sizes: the number of trials divided by each of these."""
Made = TypeVar("Made")


class More(StrEnum):
    """What there is more of, to have more trials."""

    ROUNDS = "rounds"
    CELLS = "cells"


@dataclass
class Clock:
    """Notes what each stage costs."""

    costs: list[str]

    def timed(self, stage: str, make: Callable[[], Made]) -> Made:
        """Return what a stage makes, and note its cost."""
        before = time.process_time()
        made = make()
        self.costs.append(f"{stage} {time.process_time() - before:.2f} s")
        return made


def main(
    *,
    trials: int = 10_000,
    more: More = More.ROUNDS,
    written: Annotated[Path | None, cyclopts.Parameter(show=False)] = None,
) -> None:
    """Measure several sizes, each in a separate process."""
    if written is not None:
        measure(written)
        return
    for step in STEPS:
        with tempfile.TemporaryDirectory() as folder:
            write_run(Path(folder), trials // step, more)
            words = ["--written", folder]
            subprocess.run([sys.executable, "-m", "bench.page", *words], check=True)  # noqa: S603 - this script


def measure(folder: Path) -> None:
    """Measure one size."""
    clock, catalogue = Clock([f"{(folder / TRIALS).stat().st_size / 1e6:,.1f} MB of records"]), Catalogue()
    run = clock.timed("read", lambda: read_figures(folder, LOOPS))
    report = clock.timed("figures", lambda: Report(run, catalogue.scenarios))
    clock.timed("tables", lambda: (markdown(document(report)), to_csv(list(report.cells))))
    clock.costs.append(f"{peak_mib():,.0f} MiB at most")
    html = clock.timed("page", lambda: page(report))
    costs = f"{len(run.trials):,} trials, {len(report.cells):,} cells: {', '.join(clock.costs)}"
    print(f"{costs}; {peak_mib():,.0f} MiB at most, a page of {len(html.encode()) / 1e6:.1f} MB", flush=True)


def peak_mib() -> float:
    """Return the most memory that this process had so far; `getrusage` would begin with the parent's figure."""
    return (peak_memory_bytes(os.getpid()) or 0) / MIB


def made_run(trials: int, more: More) -> RunFigures:
    """Return the published run, grown to this many trials."""
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder), trials, more)
        return read_figures(Path(folder), LOOPS)


def write_run(folder: Path, trials: int, more: More) -> None:
    """Write the published run, grown to this many trials."""
    manifest, published = read_manifest(PUBLISHED), list(read_loops(PUBLISHED))
    made = list(islice((more_rounds if more is More.ROUNDS else more_cells)(published), trials))
    cells = list({record.cell_id: planned(record) for record in made}.values())
    rounds = max(record.round for record in made)
    write_model(folder / MANIFEST, manifest.model_copy(update={"rounds": rounds, "cells": cells}))
    with (folder / TRIALS).open("wb") as file:
        file.writelines(map(line_of, made))


def more_rounds(published: list[LoopRecord]) -> Iterator[LoopRecord]:
    """Yield the published run's first round again and again."""
    first = [record for record in published if record.round == 1]
    for number in count(1):
        for record in first:
            trial_id = f"{record.trial_id.removesuffix('1')}{number}"
            yield record.model_copy(update={"round": number, "trial_id": trial_id})


def more_cells(published: list[LoopRecord]) -> Iterator[LoopRecord]:
    """Yield the published run, and then each of its blocks that has a depth at other depths."""
    yield from published
    for depth in count(101):
        yield from (moved(record, depth) for record in published if record.shape.depth is not None)


def moved(record: LoopRecord, depth: int) -> LoopRecord:
    """Return a record as if it had another depth."""
    names = {
        name: getattr(record, name).replace("depth=100", f"depth={depth}") for name in ("trial_id", "cell_id", "block")
    }
    return record.model_copy(update={**names, "shape": record.shape.model_copy(update={"depth": depth})})


def planned(record: LoopRecord) -> CellDescription:
    """Return the cell of a record as a manifest lists it."""
    names = ("cell_id", "client", "language", "scenario", "shape", "block")
    return CellDescription(**{name: getattr(record, name) for name in names})


if __name__ == "__main__":
    cyclopts.run(main)
