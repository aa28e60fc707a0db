"""Writes `specs/one-thread.toml` from the published runs.

    cd harness && ../.build/harness/bin/python -m tools.one_thread

Of every client and scenario, the median over trials of the share of its CPU time that its busiest thread used. It
decides who is kept off the server's CPU, in all runs alike (`respmark.kinds.loops.off_core`). Trials at a rate or with
several processes are left out.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

from respmark.contract.trial import Scenario
from respmark.kinds.loops.record import LoopRecord
from respmark.kinds.loops.slices import read_loops
from respmark.paths import CHECKOUT
from respmark.results.records import Status
from respmark.specs.one_thread import configuration
from tools.published import is_run

PUBLISHED: Final = CHECKOUT / "results" / "published"
FILE: Final = CHECKOUT / "harness" / "specs" / "one-thread.toml"
HEAD: Final = """\
# Share of a client's CPU time that its busiest thread used, the median of the published runs' trials. From two thirds
# on, one thread does its work, and is kept off the server's CPU. A client that is not here is judged in its first
# round. `python -m tools.one_thread`, in harness/, writes this file.
"""


def shares(folder: Path) -> dict[Scenario, dict[str, float]]:
    """Return the shares by scenario and client of all runs in a folder."""
    found: dict[Scenario, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in filter(is_run, sorted(folder.iterdir())):
        for record in read_loops(run):
            for share in _share(record):
                found[record.scenario][configuration(record.client)].append(share)
    return {scenario: {name: median(found[scenario][name]) for name in sorted(found[scenario])} for scenario in found}


def _share(record: LoopRecord) -> Iterator[float]:
    if record.status is not Status.OK or record.shape.processes > 1 or record.shape.rate is not None:
        return
    counted = [(one.client_thread_ns, one.kernel_cpu_ns) for one in record.slices if one.counts]
    known = [(thread, every) for thread, every in counted if thread is not None and every]
    if known:
        yield min(1.0, sum(thread for thread, _ in known) / sum(every for _, every in known))


def main() -> None:
    """Write the file."""
    tables = [
        f"[{scenario}]\n" + "".join(f'"{name}" = {share:.2f}\n' for name, share in found.items())
        for scenario, found in sorted(shares(PUBLISHED).items())
    ]
    FILE.write_text("\n".join([HEAD, *tables]), encoding="utf-8")


if __name__ == "__main__":
    main()
