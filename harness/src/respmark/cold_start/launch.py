"""Starts each client's program again and again, in turns, and checks each against the server."""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from respmark import __version__
from respmark.cold_start.model import COLD_START, ClientStarts, ColdStart, ColdStartRun
from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.lines import Started
from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError, RunnerMissingError, UnsupportedError
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.lock import lock_path, only_run
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from respmark.results.store import make_folder, write_model
from respmark.run.counters import server_description
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.servers.control import Control
from respmark.servers.info import NO_CALLS, Info, info_text
from respmark.servers.preload import preload
from respmark.servers.target import Target, open_target
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import Client
from respmark.workload import columns
from respmark.workload.replies import wrong_reply
from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, WorkloadSpec
from respmark.workload.workload import Workload, generate

NAME: Final = "first.columns"
"""Name of the workload file of the first command."""
SMALL: Final = WorkloadSpec(
    name="first",
    summary="one GET",
    commands=1,
    preload_keys=1,
    key_digits=12,  # drivers have no others
    sizes=SizeSpec(mean_bytes=1, standard_deviation_bytes=0, min_bytes=1, max_bytes=1),
    mix=(CommandSpec(name="GET", share=1, keys=1, arguments=(KeyArgument(),)),),
)
LIMIT_S: Final = 60.0
UNMEASURED: Final = 1
"""Rounds before those that count: they bring the files of each client into the system's cache."""


@dataclass(frozen=True)
class ColdStartRequest:
    """Which clients are started, how often, and where the results go."""

    clients: Sequence[Client]
    starts: int
    folder: Path
    command_line: list[str]
    seed: int = 1


def run_cold_starts(
    request: ColdStartRequest, catalogue: Catalogue, guardian: Guardian, say: Callable[[str], None]
) -> ColdStartRun:
    """Start each client so often, one process after the other; write what was found into the folder, and return it.

    Raises NothingRanError if a server is missing or another run is measuring, TargetError if the server was lost.
    """
    with (
        only_run(lock_path()),
        closing(open_target(catalogue.target(USUAL_SERVER), guardian, allow_flush=True)) as target,
        guarded_folder(guardian, "cold-start") as folder,
        ColdExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
    ):
        make_folder(request.folder)
        began, workload = datetime.now(UTC), generate(SMALL, seed=0)
        columns.write(workload, folder / NAME)
        preload(target.control, workload, np.zeros(1, np.uint32), np.ones(1, np.uint32))
        turns = [
            _Turns(client, executor, target, workload, folder / NAME, catalogue.clients[client.library].own_gets)
            for client in request.clients
        ]
        _take_turns(turns, request, say)
        run = ColdStartRun(
            schema_version=SCHEMA_VERSION,
            run_id=request.folder.name,
            respmark_version=__version__,
            command_line=request.command_line,
            status=RunStatus.COMPLETE,
            started_at=began,
            ended_at=datetime.now(UTC),
            seed=request.seed,
            machine=this_machine(),
            target=server_description(target),
            clients=[one.result() for one in turns],
        )
    write_model(request.folder / COLD_START, run)
    return run


def _take_turns(turns: Sequence["_Turns"], request: ColdStartRequest, say: Callable[[str], None]) -> None:
    """Start every client once in each round, in an order that is drawn anew."""
    order = random.Random(request.seed)  # noqa: S311 - an order, not a secret
    for number in range(UNMEASURED + request.starts):
        counts = number >= UNMEASURED
        say(f"round {number} of {request.starts}" if counts else "a round that does not count")
        for one in order.sample(turns, len(turns)):
            one.take(counts=counts)


@dataclass(eq=False)
class ColdExecutor(LocalExecutor):
    """Starts the programs that say how long a start takes."""

    def _command(self, client: Client) -> list[str]:
        spec = self.runners[client.runner]
        return spec.filled(spec.cold_start, client)


@dataclass
class _Turns:
    """A client, and what is known of its starts so far."""

    client: Client
    executor: LocalExecutor
    target: Target
    workload: Workload
    file: Path
    own_gets: int
    """That a new client sends of its own accord."""
    versions: dict[str, str] = field(default_factory=dict)
    status: Status = Status.OK
    reason: str | None = None
    starts: list[ColdStart] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find out whether it can be started at all."""
        spec = self.executor.runners[self.client.runner]
        if not spec.cold_start:
            self._ends(Status.UNSUPPORTED, f"{spec.language}'s runner has no `cold_start` in runner.toml")
        elif missing := self.executor.missing(self.client):
            self._ends(Status.MISSING, missing)

    def take(self, *, counts: bool) -> None:
        """Start it once, unless it has failed before."""
        if self.status is not Status.OK:
            return
        seen, asked_ns = gets(self.target.control), time.monotonic_ns()
        try:
            found = self._started()
        except UnsupportedError as error:
            self._ends(Status.UNSUPPORTED, str(error))
        except RunnerMissingError as error:
            self._ends(Status.MISSING, str(error))
        except RunnerFailedError as error:
            self._ends(Status.FAILED, str(error))
        else:
            if problem := wrong_reply(self.workload, 0, [found.reply]) or _not_one(
                gets(self.target.control) - seen - self.own_gets
            ):
                self._ends(Status.FAILED, problem)
            elif counts:
                self.versions = found.versions
                self.starts.append(ColdStart.of(asked_ns, found))

    def result(self) -> ClientStarts:
        """Return what was found."""
        return ClientStarts(
            client=self.client.name,
            language=self.executor.runners[self.client.runner].language,
            versions=self.versions,
            status=self.status,
            reason=self.reason,
            starts=self.starts,
        )

    def _started(self) -> Started:
        request = TrialRequest(self.client, Scenario.SYNC, Shape(), self.file, self.target.for_runners)
        runner = self.executor.start(request)
        found = runner.started(LIMIT_S)
        runner.end(LIMIT_S)
        return found

    def _ends(self, status: Status, reason: str) -> None:
        self.status, self.reason = status, reason


def gets(control: Control) -> int:
    """Return how many GETs the server has counted."""
    return Info.read(info_text(control, "commandstats")).calls.get("get", NO_CALLS).calls


def _not_one(seen: int) -> str | None:
    return None if seen == 1 else f"the server saw {seen} GETs of a process that was to send one"
