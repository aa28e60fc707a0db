"""Whether the harness's memory stays flat over a run of many trials.

    cd harness && ../.build/harness/bin/python -m bench.session_memory --trials 10000

The session is that of every run, and writes its records to files, but its server and runners are the tests' doubles, so
ten thousand trials take minutes. Prints the memory that the process holds (VmRSS) after each tenth of them.
"""

import resource
import tempfile
from pathlib import Path
from typing import Final

import cyclopts

from respmark.cli.other_progress import NoProgress
from respmark.execute.protocol import TrialRequest
from respmark.plan.trial import BlockRound, Plan
from respmark.results.store import RunFolder
from respmark.run.session import Session
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import make_block, make_client, make_trial
from tests.fakes import FakeControl, FakeExecutor, FakeRunner, FakeTarget, make_context

CLIENTS: Final = 5
STEPS: Final = 10


class Forgetful(FakeExecutor):
    """An executor that keeps nothing of what it was asked."""

    def start(self, request: TrialRequest) -> FakeRunner:
        """Start a runner, and forget it."""
        runner = super().start(request)
        self.runners.clear()
        self.log.clear()
        return runner


class Watching(NoProgress):
    """Notes the memory after each tenth of the blocks."""

    def __init__(self, blocks: int) -> None:
        self.control = FakeControl()
        self.every = blocks // STEPS
        self.resident: list[int] = []

    def block_started(self, block: BlockRound, number: int) -> None:
        """Note the memory at each tenth, without the doubles' own notes, which are not the harness's."""
        del block
        self.control.sent.clear()
        self.control.commands.clear()
        if number % self.every == 1 % self.every:
            self.resident.append(resident_bytes())


def resident_bytes() -> int:
    """Return the memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def session(folder: Path, trials: int, laps: int, watching: Watching) -> Session:
    """Return a session of this many trials: one block, again and again."""
    server = watching.control.server
    clients = [make_client(f"client-{number}") for number in range(CLIENTS)]
    rounds = tuple(
        make_block(*(make_trial(client=client, number=number) for client in clients))
        for number in range(1, trials // CLIENTS + 1)
    )
    cells = tuple(trial.cell for trial in rounds[0].trials)
    context = make_context(Forgetful(server), FakeTarget(watching.control), laps=laps)
    plan = Plan(context.settings, Catalogue().suite("smoke"), cells, rounds)
    return Session(plan, context, Catalogue().runners, watching, RunFolder.create(folder))


def main(*, trials: int = 10_000, laps: int = 20) -> None:
    """Run the trials, and print the memory held on the way.

    Args:
        trials: Number of trials.
        laps: Slices of each trial.
    """
    watching = Watching(trials // CLIENTS)
    with tempfile.TemporaryDirectory() as folder:
        session(Path(folder) / "run", trials, laps, watching).run()
    watching.resident.append(resident_bytes())
    for number, held in enumerate(watching.resident):
        print(f"{number * trials // STEPS:>8,} trials: {held / 2**20:7.1f} MiB")


if __name__ == "__main__":
    cyclopts.run(main)
