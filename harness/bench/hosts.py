"""Whether a client on n workers of a cluster does what as many of its processes do without one.

    .build/harness/bin/python harness/bench/hosts.py --times 5

Runs `respmark run` for 1, 2 and 3 processes of a client, on this machine and on as many workers of a cluster that the
command starts here, in turns. Prints Markdown: commands per second of both, and the geometric mean of their ratios with
the lowest and the highest. About a quarter of a minute each.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Final

import cyclopts

from respmark import numbers
from respmark.escaping import markdown_row
from respmark.figures.cells import read_figures
from respmark.kinds.loops.kind import LOOPS

PROGRAM: Final = Path(sys.executable).with_name("respmark")
COUNTS: Final = (1, 2, 3)
SHORT: Final = ("--rounds", "2", "--laps", "8", "--slice-s", "0.3", "--minutes", "0.5")


def measured_rps(client: str, processes: int, out: Path, *via: str) -> float:
    """Return the commands per second of a client with so many processes; raises if it could not be measured."""
    asked = ("--client", client, "--scenario", "sync", "--processes", str(processes), *SHORT, "--out", str(out))
    command = [str(PROGRAM), "run", "quick", *asked, *via, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - respmark, with words of ours
    (cell,) = read_figures(out, LOOPS).cells
    if cell.measured is None:
        message = f"{client} was not measured: {cell.reason}"
        raise RuntimeError(message)
    return float(cell.measured.rps_median)


def main(*, client: str = "redis-py", times: int = 5) -> None:
    """Measure in turns, and print the table."""
    pairs: dict[int, list[tuple[float, float]]] = {count: [] for count in COUNTS}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(times):
            for count in COUNTS:
                here = measured_rps(client, count, Path(folder, f"here-{turn}-{count}"))
                via = ("--via", "dask", "--scheduler", f"local:{count}")
                pairs[count].append((here, measured_rps(client, count, Path(folder, f"hosts-{turn}-{count}"), *via)))
    rows = [["processes", "on this machine", "on as many workers", "ratio (lowest..highest)"], ["---:"] * 4]
    for count, found in pairs.items():
        ratios = [hosts / here for here, hosts in found]
        mean = math.exp(fmean(map(math.log, ratios)))
        span = f"{numbers.ratio(min(ratios))}..{numbers.ratio(max(ratios))}"
        means = (numbers.rps(fmean(one)) for one in zip(*found, strict=True))
        rows.append([str(count), *means, f"{numbers.ratio(mean)} ({span})"])
    print("".join(f"{markdown_row(row)}\n" for row in rows))


if __name__ == "__main__":
    cyclopts.run(main)
