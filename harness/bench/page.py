"""How much time and memory the report of a large run takes: reading, checking again, tables and the page.

    cd harness && ../.build/harness/bin/python -m bench.page --trials 10000
    cd harness && ../.build/harness/bin/python -m bench.page --trials 10000 --files trials
    cd harness && ../.build/harness/bin/python -m bench.page --trials 10000 --more cells

The trials are those of the published run, repeated: as further rounds, in files that are read; or, without reading
files, as further depths, so there are more cells. Each size runs in a separate process. Prints the CPU time of each
stage in seconds, the peak memory, and the page's size: if costs are linear, they grow in proportion to the trials.
Tables are made from figures, for which files are read cell by cell: this memory is printed apart. The page needs all
records.
"""

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Final, TypeVar

import cyclopts

from respmark.evidence.kernel import peak_memory_bytes
from respmark.report.csv import to_csv
from respmark.report.html.page import page
from respmark.report.markdown import markdown
from respmark.report.tables import make_report
from respmark.results.compact import pack, pack_together
from respmark.results.manifest import Manifest, PlannedCell
from respmark.results.records import TrialRecord
from respmark.results.store import MANIFEST, TRIALS, Run, read_run, write_file, write_model
from respmark.specs.catalogue import Catalogue
from respmark.statistics.cells import counted
from respmark.statistics.reading import read_counted
from tools.readme import POST, PUBLISHED

MIB: Final = 2**20
STEPS: Final = (10, 2, 1)
"""The sizes: the number of trials divided by each of these."""
Made = TypeVar("Made")


class More(StrEnum):
    """What there is more of, to have more trials."""

    ROUNDS = "rounds"
    CELLS = "cells"


PACKED = 500
"""How many trials one packed file has, as in published runs."""


class Files(StrEnum):
    """How the run is stored."""

    PACKED = "packed"
    TRIALS = "trials"


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
    files: Files = Files.PACKED,
    written: Annotated[Path | None, cyclopts.Parameter(show=False)] = None,
) -> None:
    """Measure several sizes, each in a separate process."""
    if written is not None:
        measure(written, trials, more)
        return
    for step in STEPS:
        with tempfile.TemporaryDirectory() as folder:
            if more is More.ROUNDS:
                write_rounds(Path(folder), trials // step, files)
            words = ["--trials", str(trials // step), "--more", more, "--written", folder]
            subprocess.run([sys.executable, "-m", "bench.page", *words], check=True)  # noqa: S603 - this script


def measure(folder: Path, trials: int, more: More) -> None:
    """Measure one size; `folder` has the run if there are more rounds."""
    clock, catalogue = Clock([]), Catalogue()
    if more is More.CELLS:
        run = made_run(trials, more)
        figures = clock.timed("figures", lambda: counted(run))
    else:
        size = sum(path.stat().st_size for path in Path(folder, TRIALS).iterdir())
        clock.costs.append(f"{size / 1e6:,.1f} MB of records")
        figures = clock.timed("figures", lambda: read_counted(folder))
    report = clock.timed("comparisons", lambda: make_report(figures, catalogue.scenarios))
    clock.timed("tables", lambda: (markdown(report), to_csv(list(report.cells))))
    clock.costs.append(f"{peak_mib():,.0f} MiB at most")
    if more is More.ROUNDS:
        run = clock.timed("read", lambda: read_run(folder))
        gc.freeze()  # as `respmark report` does
    html = clock.timed("page", lambda: page(run, catalogue.scenarios, catalogue.post(POST)))
    told = f"{len(run.records):,} trials, {len(report.cells):,} cells: {', '.join(clock.costs)}"
    print(f"{told}; {peak_mib():,.0f} MiB at most, a page of {len(html.encode()) / 1e6:.1f} MB", flush=True)


def peak_mib() -> float:
    """Return the most memory that this process had so far; `getrusage` would begin with the parent's figure."""
    return (peak_memory_bytes(os.getpid()) or 0) / MIB


def made_run(trials: int, more: More) -> Run:
    """Return the published run, grown to this many trials."""
    if more is More.CELLS:
        return with_more_cells(read_run(PUBLISHED), trials)
    with tempfile.TemporaryDirectory() as folder:
        write_rounds(Path(folder), trials, Files.PACKED)
        return read_run(Path(folder))


def write_rounds(folder: Path, trials: int, files: Files) -> None:
    """Write a run that repeats the published one's first round until it has this many trials."""
    run = read_run(PUBLISHED)
    first = [record for record in run.records if isinstance(record, TrialRecord) and record.round == 1]
    rounds = -(-trials // len(first))
    (folder / TRIALS).mkdir()
    made = [again(record, number) for record in first for number in range(1, rounds + 1)]
    if files is Files.PACKED:
        for place in range(0, len(made), PACKED):
            path = folder / TRIALS / f"packed-{place}.json.xz"
            write_file(path, pack_together(made[place : place + PACKED]))
    for record in made if files is Files.TRIALS else ():
        write_file(folder / TRIALS / f"{record.trial_id}.json.gz", pack(record))
    write_model(folder / MANIFEST, run.manifest.model_copy(update={"rounds": rounds}))


def again(record: TrialRecord, number: int) -> TrialRecord:
    """Return a first round's record as if it were another round's."""
    return record.model_copy(update={"round": number, "trial_id": f"{record.trial_id.removesuffix('1')}{number}"})


def with_more_cells(run: Run, trials: int) -> Run:
    """Return the run with each block that has a depth repeated at other depths, until it has this many trials."""
    records = [record for record in run.records if isinstance(record, TrialRecord)]
    deep = [record for record in records if record.shape.depth is not None]
    further = (moved(record, depth) for depth in count(101) for record in deep)
    every = [*records, *islice(further, max(0, trials - len(records)))]
    return replace(run, records=tuple(every), manifest=with_cells(run.manifest, every))


def moved(record: TrialRecord, depth: int) -> TrialRecord:
    """Return a record as if it had another depth."""
    names = {
        name: getattr(record, name).replace("depth=100", f"depth={depth}") for name in ("trial_id", "cell_id", "block")
    }
    return record.model_copy(update={**names, "shape": record.shape.model_copy(update={"depth": depth})})


def with_cells(manifest: Manifest, records: list[TrialRecord]) -> Manifest:
    """Return the manifest with the cells of the records."""
    cells = list({record.cell_id: record for record in records}.values())
    return manifest.model_copy(update={"cells": [*planned(cells)]})


def planned(records: list[TrialRecord]) -> Iterator[PlannedCell]:
    """Yield the cells of the records as a manifest lists them."""
    for record in records:
        shared = {
            name: getattr(record, name) for name in ("cell_id", "client", "language", "scenario", "shape", "block")
        }
        yield PlannedCell(**shared)


if __name__ == "__main__":
    cyclopts.run(main)
