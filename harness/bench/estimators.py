"""How often estimators claim a false difference, and what true ones they see: clients against themselves, relabelled.

    .build/harness/bin/python harness/bench/aa.py redis-py --rounds 5 --comparisons 30 --out results/aa-redis-py
    .build/harness/bin/python harness/bench/estimators.py --save harness/bench/data/aa.csv.gz results/aa-*
    .build/harness/bin/python harness/bench/estimators.py harness/bench/data/aa.csv.gz

Makes runs of some blocks from recorded ones: a block is drawn, some of its rounds are drawn, and in each round the
copies, which are fresh processes of the same client, get new labels. The first copy is the baseline; the others are a
family of comparisons, corrected by Holm. Any difference that is shown is false. Then one copy's slices are multiplied
by 1.03, 1.05 and 1.1, and the program counts how often that is shown. Prints Markdown; the same data and seed give the
same tables.
"""

import csv
import gzip
import io
import math
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, product
from pathlib import Path
from statistics import median
from typing import Annotated, Final

import cyclopts
import numpy as np
import numpy.typing as npt
from cyclopts import Parameter
from scipy.special import stdtr, stdtrit

from respmark.cli.app import tell_error
from respmark.cli.options import tell
from respmark.errors import InvalidRequestError, RespmarkError
from respmark.escaping import markdown_row
from respmark.figures.cells import read_figures
from respmark.figures.estimate import (
    CONFIDENCE,
    MOST_DEGREES,
    USUAL,
    Floats,
    LapSeries,
    LogRatios,
    Part,
    Prior,
    Ratio,
    corrected,
    log_ratios,
    prior_of,
    ratio_of,
)
from respmark.files import write_whole
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.rounds import counted
from respmark.plan.plan import joined, shape_words

METRICS: Final = {key: LOOPS.compared[key] for key in ("rps", "client_cpu", "server_cpu")}
"""By which closed loops are compared."""
FIGURES: Final = tuple(f"{metric}_{part}" for metric in METRICS for part in ("amount", "divisor"))
"""The file's columns of figures: what a slice contributes to each metric."""
COLUMNS: Final = ("client", "scenario", "block", "copy", "round", "lap", *FIGURES)
COPY: Final = re.compile(r"--copy=(\d+)$")
LARGEST: Final = 300_000
"""The most bytes that a file in the repository may have."""
BLOCKS: Final = 8
"""Blocks of a run: about as many as `quick` has scenarios and shapes."""
INJECTED: Final = (0.03, 0.05, 0.10)
MOST_EXACT: Final = 5
"""Up to this many rounds, the bootstrap takes every resample that there is."""
RESAMPLES: Final = 2000

BlockKey = tuple[str, str, int]
"""Client, scenario with its shape, number of the block."""
Copies = list[dict[int, Part]]
"""One round of a block: what each copy contributed to a metric, by lap."""


@dataclass(frozen=True)
class Observation:
    """One slice."""

    place: BlockKey
    copy: int
    round: int
    lap: int
    figures: tuple[float, ...]
    """In the order of FIGURES."""


def recorded(folders: Iterable[Path]) -> Iterator[Observation]:
    """Return the slices of runs of `bench/aa.py`; figures are rounded to the five digits that the file has.

    Raises:
        InvalidRequestError: a folder is not the folder of such a run.
    """
    numbers: dict[tuple[Path, str], int] = {}
    for folder in folders:
        run = read_figures(folder, LOOPS)
        if others := [cell_id for cell_id in run.cell_ids if COPY.search(cell_id) is None]:
            raise InvalidRequestError(f"{folder} is not a run of `bench/aa.py`: {others[0]} is no copy")
        trials = {trial.cell_id: trial for trial in run.trials}
        columns = [column for compared in METRICS.values() for column in compared.parts or ()]
        for row in counted(run).collect().iter_rows(named=True):
            trial = trials[row["cell_id"]]
            scenario = joined([str(trial.scenario), *shape_words(trial.shape)])
            block = numbers.setdefault((folder, trial.block), len(numbers) + 1)
            copy = int(COPY.findall(trial.cell_id)[0])
            figures = tuple(float(f"{row[column]:.5g}") for column in columns)
            yield Observation((trial.client.name, scenario, block), copy, row["round"], row["lap"], figures)


def write(observations: Iterable[Observation], path: Path) -> None:
    """Write the file; the same slices give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in observations:
        writer.writerow([*one.place, one.copy, one.round, one.lap, *(f"{figure:.5g}" for figure in one.figures)])
    packed = gzip.compress(text.getvalue().encode(), mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, packed)
    larger = f", more than the {LARGEST:,} that the repository keeps" if len(packed) > LARGEST else ""
    tell(f"{path}: {len(packed):,} bytes{larger}")


def read(path: Path) -> Iterator[Observation]:
    """Return the slices of a file.

    Raises:
        InvalidRequestError: it cannot be read.
    """
    try:
        rows = list(csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
        if not rows or tuple(rows[0]) != COLUMNS:
            message = f"{path} does not read: its columns are not {', '.join(COLUMNS)}"
            raise InvalidRequestError(message)
        for client, scenario, *numbers in rows[1:]:
            block, copy, number, lap = map(int, numbers[:4])
            yield Observation((client, scenario, block), copy, number, lap, tuple(map(float, numbers[4:])))
    except (OSError, ValueError) as error:
        raise InvalidRequestError(f"{path} does not read: {error}") from error


def blocks_of(observations: Iterable[Observation], metric: int) -> dict[BlockKey, list[Copies]]:
    """Return the rounds of each block for which there are all of its copies, by copy and lap."""
    found: defaultdict[BlockKey, defaultdict[int, defaultdict[int, dict[int, Part]]]]
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    for one in observations:
        found[one.place][one.round][one.copy][one.lap] = (one.figures[2 * metric], one.figures[2 * metric + 1])
    whole = {place: max(map(len, rounds.values())) for place, rounds in found.items()}
    return {
        place: [[copies[copy] for copy in sorted(copies)] for copies in rounds.values() if len(copies) == whole[place]]
        for place, rounds in found.items()
    }


def compared(chosen: Sequence[Copies], first: int, second: int) -> LogRatios | None:
    """Return the comparison of two copies over rounds."""
    series = [
        LapSeries.of(
            {(number, lap): part for number, copies in enumerate(chosen) for lap, part in copies[place].items()}
        )
        for place in (first, second)
    ]
    return log_ratios(*series)


def relabelled(block: list[Copies], rounds: int, dice: random.Random) -> list[LogRatios]:
    """Return a family: `rounds` rounds of a block, relabelled in each, every copy against the first."""
    chosen = [dice.sample(copies, len(copies)) for copies in dice.sample(block, rounds)]
    pairs = (compared(chosen, copy, 0) for copy in range(1, len(chosen[0])))
    return [one for one in pairs if one is not None and len(one) == rounds]


def shifted(rounds: LogRatios, difference: float) -> LogRatios:
    """Return the comparison as if the copy's slices were multiplied by 1 + difference."""
    return replace(rounds, values=rounds.values + math.log1p(difference))


def student(values: Sequence[float] | Floats) -> Ratio:
    """Return the mean of logarithms as a ratio, with Student's interval."""
    mean, degrees = float(np.mean(values)), len(values) - 1
    error = max(1e-12, float(np.std(values, ddof=1)) / math.sqrt(len(values)))
    reach = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * error
    p_value = 2 * float(stdtr(degrees, -abs(mean) / error))
    return Ratio(value=math.exp(mean), low=math.exp(mean - reach), high=math.exp(mean + reach), p_value=p_value)


def bootstrap(values: Floats) -> Ratio:
    """Return the mean of logarithms as a ratio, with the percentile interval of its bootstrap."""
    means = values[resamples(len(values))].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    p_value = min(1.0, 2 * min(float((means <= 0).mean()), float((means >= 0).mean())))
    return Ratio(value=math.exp(float(np.mean(values))), low=math.exp(low), high=math.exp(high), p_value=p_value)


@cache
def resamples(count: int) -> npt.NDArray[np.int64]:
    """Return indices of resamples: all of them if there are few."""
    if count <= MOST_EXACT:
        return np.array(list(product(range(count), repeat=count)))
    return np.random.Generator(np.random.PCG64(count)).integers(0, count, (RESAMPLES, count))


Estimator = Callable[[LogRatios, Prior], Ratio]
IN_USE: Final = "moderated t, prior of the run (in use)"
ESTIMATORS: Final[dict[str, Estimator]] = {
    "t over rounds": lambda rounds, _prior: student(rounds.values),
    IN_USE: ratio_of,
    "moderated t, fixed prior": lambda rounds, _prior: ratio_of(rounds, USUAL),
    "bootstrap over rounds": lambda rounds, _prior: bootstrap(rounds.values),
    "t over laps, rounds ignored": lambda rounds, _prior: student(
        np.repeat(rounds.values, rounds.laps) + rounds.spread
    ),
}


@dataclass
class Tally:
    """What one estimator did."""

    families: int = 0
    false_families: int = 0
    """Families with a difference shown although there is none."""
    covered: list[bool] = field(default_factory=list)
    """By comparison: whether the interval contains 1."""
    half_widths: list[float] = field(default_factory=list)
    """By comparison, as a fraction of the ratio."""
    seen: dict[float, int] = field(default_factory=lambda: dict.fromkeys(INJECTED, 0))
    """Families in which the injected difference was shown, by difference."""

    def add(self, estimator: Estimator, family: Sequence[LogRatios], prior: Prior) -> None:
        """Count one family: as it is, and with each difference injected into its first comparison."""
        ratios = [estimator(one, prior) for one in family]
        self.families += 1
        self.false_families += any(one.shown for one in corrected(dict(enumerate(ratios))).values())
        for one in ratios:
            if one.low is not None and one.high is not None:
                self.covered.append(one.low <= 1 <= one.high)
                self.half_widths.append((one.high - one.low) / 2 / one.value)
        for difference in INJECTED:
            injected = estimator(shifted(family[0], difference), prior)
            self.seen[difference] += corrected(dict(enumerate([injected, *ratios[1:]])))[0].shown

    @property
    def words(self) -> list[str]:
        """Return the row of a table."""
        widths = sorted(self.half_widths)
        spread = [median(widths), widths[int(0.9 * (len(widths) - 1))]]
        power = [self.seen[difference] / self.families for difference in INJECTED]
        return [
            *(f"{self.false_families / self.families:.1%}", f"{np.mean(self.covered):.1%}"),
            *(f"±{width:.1%}" for width in spread),
            *(f"{share:.0%}" for share in power),
        ]


def tallies(blocks: list[list[Copies]], rounds: int, runs: int, dice: random.Random) -> dict[str, Tally]:
    """Return what every estimator did on `runs` runs; blocks with too few rounds are left out."""
    usable = [block for block in blocks if len(block) >= rounds and len(block[0]) > 1]
    found = {name: Tally() for name in ESTIMATORS}
    for _ in range(runs if usable else 0):
        families = [relabelled(block, rounds, dice) for block in dice.choices(usable, k=BLOCKS)]
        prior = prior_of(one for family in families for one in family)
        for name, estimator in ESTIMATORS.items():
            for family in filter(None, families):
                found[name].add(estimator, family, prior)
    return {name: tally for name, tally in found.items() if tally.families}


def pairs_of(blocks: Iterable[list[Copies]]) -> list[LogRatios]:
    """Return every pair of copies of a block, over all of its rounds, as recorded."""
    pairs = (compared(block, *both) for block in blocks if block for both in combinations(range(len(block[0])), 2))
    return [one for one in pairs if one is not None]


def prior_lines(pairs: dict[str, list[LogRatios]]) -> list[str]:
    """Return the table of what the variances of all comparisons have in common."""
    everything = {**pairs, "all": [one for some in pairs.values() for one in some]}
    rows = [["metric", "comparisons", "variance", "degrees"], ["---"] + ["---:"] * 3]
    for metric, some in everything.items():
        prior = prior_of(some)
        rows.append([metric, f"{len(some)}", f"{prior.variance:.2f}", f"{prior.degrees:.1f}"])
    title = f"## Variance between rounds, in units of what laps explain (degrees of freedom: {MOST_DEGREES:g} at most)"
    return [title, "", *map(markdown_row, rows), ""]


def estimators(
    *sources: Path,
    save: Path | None = None,
    rounds: Annotated[tuple[int, ...], Parameter(consume_multiple=True, negative=())] = (2, 3, 5),
    runs: int = 100,
    seed: int = 1,
) -> None:
    """Compare estimators on recorded runs of clients against themselves.

    Args:
        sources: Folders of runs of `bench/aa.py`, or files that --save wrote.
        save: Write the slices of all sources to this file.
        rounds: Numbers of rounds that a run has.
        runs: How many runs are made from the recorded ones.
        seed: Decides how they are made.
    """
    folders = [source for source in sources if source.is_dir()]
    observations = [*recorded(folders), *(one for file in sources if file not in folders for one in read(file))]
    if not observations:
        message = "name folders of runs of `bench/aa.py`, or a file that --save wrote"
        raise InvalidRequestError(message)
    if save is not None:
        write(observations, save)
    blocks, recorded_rounds = {one.place for one in observations}, {(one.place, one.round) for one in observations}
    print(f"{len(blocks)} blocks with {len(recorded_rounds)} rounds in all, {len(observations):,} slices;", end=" ")
    print(f"{runs} runs of {BLOCKS} blocks.\n")
    heads = ["rounds", "estimator", "false claims (families)", "coverage of 1", "half width, median", "nine in ten"]
    heads += [f"sees {difference:.0%}" for difference in INJECTED]
    pairs = {}
    for number, metric in enumerate(METRICS):
        by_block = list(blocks_of(observations, number).values())
        pairs[metric] = pairs_of(by_block)
        print("\n".join([f"## {metric}", "", markdown_row(heads), markdown_row(["---:", "---", *["---:"] * 7])]))
        for count in rounds:
            found = tallies(by_block, count, runs, random.Random(f"{seed}:{metric}:{count}"))  # noqa: S311 - no secret
            for name, tally in found.items():
                print(markdown_row([str(count), name, *tally.words]))
            if not found:
                print(markdown_row([str(count), "no block has so many rounds", *[""] * 7]))
        print()
    print("\n".join(prior_lines(pairs)))


if __name__ == "__main__":
    try:
        cyclopts.run(estimators)
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
