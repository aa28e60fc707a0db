"""Runner processes that wait for the next block of their round.

A process lives for a round: most of what its just-in-time compilers do is for the library, which all scenarios share.
Between two blocks it holds a trial of one command, without a connection and without a workload.

All clients of a round have their processes at the same time where memory allows. Where it does not, those that are
needed last are ended to make room, and started anew for their next block.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import Final

from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import RunnerFailedError
from respmark.plan.needs import MIB, needed_bytes, processes_of
from respmark.plan.trial import BlockRound
from respmark.runners.protocol import Runner, TrialRequest
from respmark.specs.client import Client
from respmark.specs.runner import RunnerSpec

NOWHERE: Final = Endpoint(host="127.0.0.1", port=1)
"""The server of a process that rests: it never connects."""
LIMIT_S: Final = 60.0
"""For closing what it had."""
END_LIMIT_S: Final = 10.0
"""From the end of its input to its own end."""


@dataclass
class Resting:
    """The processes of a round that rest; outside of a round, every process ends with its block."""

    runners: Mapping[str, RunnerSpec] = field(default_factory=dict)
    workload: Path = Path()
    """A file of columns with one command."""
    memory_bytes: int | None = None
    """What the processes may take together; None: no limit."""
    fresh: Collection[str] = ()
    """Names of clients that get processes of their own for each block, beside those whose runner says so."""
    note: Callable[[str], None] = lambda _text: None
    """Receives a note on each process that did not end as it should."""
    _ahead: list[BlockRound] = field(default_factory=list)
    """Blocks of the round that have not begun."""
    _processes: dict[str, list[Runner]] = field(default_factory=dict)
    """By client, in the order in which they will take their parts."""
    _clients: dict[str, Client] = field(default_factory=dict)

    def begin_round(self, blocks: Iterable[BlockRound]) -> None:
        """A round of these blocks begins, in this order."""
        self._ahead = list(blocks)

    def begin_block(self, block: BlockRound) -> None:
        """A block begins, and those before it are over or passed over: make room for what it needs."""
        self._ahead = list(dropwhile(lambda one: one.name != block.name, self._ahead))[1:]
        cells = [trial.cell for trial in block.trials]
        needed = {cell.client.name for cell in cells}
        idle = sorted(self._processes.keys() - needed, key=self._next_use)
        own_bytes = needed_bytes(cells, self.runners)
        while self.memory_bytes is not None and idle and own_bytes + self._bytes(idle) > self.memory_bytes:
            self._end(idle.pop())

    def end_round(self) -> None:
        """The round is over: end every process."""
        self._ahead = []
        for name in list(self._processes):
            self._end(name)

    def take(self, client: Client) -> Runner | None:
        """Return a process of this client that rests; None if there is none."""
        resting = self._processes.get(client.name, [])
        found = resting.pop(0) if resting else None
        if not resting:
            self._processes.pop(client.name, None)
        return found

    def finish(self, client: Client, process: Runner) -> None:
        """End a process whose trial is over, or let it rest for a later block; raises RunnerFailedError."""
        if self.needs(client):
            process.give(TrialRequest(client, Scenario.SYNC, Shape(), self.workload, NOWHERE))
            process.load(LIMIT_S)
            self._clients[client.name] = client
            self._processes.setdefault(client.name, []).append(process)
        else:
            process.end(END_LIMIT_S)

    def needs(self, client: Client) -> bool:
        """Return whether a later block of the round needs one more process of a client."""
        if not self._ahead or self.runners[client.runner].fresh or client.name in self.fresh:
            return False
        most = max(processes_of(block)[client.name] for block in self._ahead)
        return len(self._processes.get(client.name, ())) < most

    @property
    def processes(self) -> Sequence[Runner]:
        """Return every process that rests."""
        return [process for each in self._processes.values() for process in each]

    def _bytes(self, names: Iterable[str]) -> int:
        return sum(
            self.runners[self._clients[name].runner].memory_mib * MIB * len(self._processes[name]) for name in names
        )

    def _next_use(self, name: str) -> int:
        uses = (number for number, block in enumerate(self._ahead) if name in processes_of(block))
        return next(uses, len(self._ahead))

    def _end(self, name: str) -> None:
        for process in self._processes.pop(name):
            try:
                process.end(END_LIMIT_S)
            except RunnerFailedError as error:
                self.note(f"{name}: {error}")
                process.kill()
