"""What a plan is made of: cells, blocks that compare them, and rounds of all blocks in a seeded order."""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, TypeVar

from respmark.contract.trial import Scenario, Shape
from respmark.specs.client import Client
from respmark.specs.suite import Dimension, SuiteSpec
from respmark.workload.spec import WorkloadSpec

NAMED: Final[tuple[Dimension, ...]] = ("workload", "server")
"""Dimensions that appear in a cell's ID if they differ from the suite's default."""


@dataclass(frozen=True)
class PlannedCell:
    """One client in one scenario, shape and workload on one server: what all rounds of a trial have in common."""

    client: Client
    scenario: Scenario
    shape: Shape
    unsupported: str | None
    """Why it cannot be measured, or None."""
    workload: str
    """Name of its workload."""
    server: str
    """Name of its server."""
    block_name: str | None = None
    """The block that the suite puts it in by name; None: the block of its scenario, shape and workload."""
    copy: int = 0
    """Distinguishes a cell from its copies, if a client is in several parts of a block or compared with itself."""
    part: int = 1
    """The part that it is in, if its block does not fit into memory; the block's first client is in every part."""
    named: frozenset[Dimension] = frozenset()
    """Dimensions in which it differs from the suite's own workload and server: its ID names these."""
    processes: int = 0
    """How many processes its client has, where each is one caller under a fault; 0: as many as the shape says."""
    compared: frozenset[Dimension] = frozenset({"client"})
    """What takes turns in its block; without `client`, the block is of one client."""

    @property
    def block(self) -> str:
        """Return the name of the block in which it is compared."""
        return self.whole_block if self.part == 1 else f"{self.whole_block}--part={self.part}"

    @property
    def whole_block(self) -> str:
        """Return the name of its block before that was split into parts."""
        return self.block_name or joined(self._block_words)

    @property
    def id(self) -> str:
        """Return the cell's ID, which can be used as a file name and is the same in every run."""
        place = [] if self.block_name is None else [f"in={self.block_name}"]
        copy = [f"copy={self.copy}"] if self.copy else []
        return joined([self.client.name, *self._use, *place, *copy])

    @property
    def _use(self) -> list[str]:
        return [str(self.scenario), *shape_words(self.shape), *self._words("workload"), *self._words("server")]

    @property
    def _block_words(self) -> list[str]:
        clients = [] if "client" in self.compared else [self.client.name]
        shape = self.shape.direct if "rtt" in self.compared else self.shape
        alike = [word for name in NAMED if name not in self.compared for word in self._words(name)]
        return [*clients, str(self.scenario), *shape_words(shape), *alike]

    def _words(self, name: Dimension) -> list[str]:
        return [f"{name}={getattr(self, name)}"] if name in self.named else []


def joined(words: list[str]) -> str:
    """Join words into one name that can be used as a file name."""
    return "--".join(re.sub(r"[^A-Za-z0-9.=@+_-]+", "+", word).strip("+") for word in words)


def shape_words(shape: Shape) -> list[str]:
    """Return the shape as `name=value` words, without fields that do not apply and without `processes=1`."""
    return [f"{name}={value}" for name, value in shape.model_dump(mode="json", exclude_defaults=True).items()]


@dataclass(frozen=True)
class Trial:
    """One cell, measured once."""

    cell: PlannedCell
    round: int
    """Counted from 1."""

    @property
    def id(self) -> str:
        """Return the trial's ID: that of its cell, and its round."""
        return f"{self.cell.id}--round={self.round}"


@dataclass(frozen=True)
class Block:
    """The trials of one round that are compared with each other, and take turns."""

    name: str
    round: int
    """Counted from 1."""
    trials: tuple[Trial, ...]
    """In the suite's order; each lap has its own order."""


@dataclass(frozen=True)
class Settings:
    """What all trials of a plan have in common; times and numbers are as in `SuiteSpec`."""

    suite: str
    workloads: Mapping[str, WorkloadSpec]
    """Every workload that a cell has, by name; the suite's own is the first."""
    servers: Mapping[str, str]
    """Every server that a cell has, by name, as the user or the suite gave it: a URL may have a password, the name has
    none. The suite's own is the first."""
    rounds: int
    laps: int
    slice_s: float
    lead_in_s: float
    warmup_limit_s: float
    seed: int
    minutes: float | None = None
    """The longest that the run may take: it has fewer rounds where they take longer, but two at least."""

    @property
    def first_workload(self) -> str:
        """Return the name of the suite's own workload, or of the first that was asked for."""
        return next(iter(self.workloads))

    @property
    def first_server(self) -> str:
        """Return the name of the suite's own server, or of the first that was asked for."""
        return next(iter(self.servers))

    def waits_s_of(self, cell: PlannedCell) -> float:
        """Return how long the server lets a client of the cell wait for each reply, in seconds."""
        return self.workloads[cell.workload].waits_s

    def workloads_of(self, cells: Iterable[PlannedCell]) -> list[WorkloadSpec]:
        """Return the workloads of these cells, each once."""
        return [self.workloads[name] for name in dict.fromkeys(cell.workload for cell in cells)]


@dataclass(frozen=True)
class Plan:
    """Every cell in the suite's order, and the blocks of each round in the order in which they run."""

    settings: Settings
    suite: SuiteSpec
    cells: tuple[PlannedCell, ...]
    """Including those that cannot be measured."""
    named: tuple[str, ...] = ()
    """Names of the clients that the user named, in their order; empty: they are the suite's."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why claims are not measured, by their ids."""
    control: str | None = None
    """The client that is in every block of a series of releases; None if this is not such a series."""

    def round(self, number: int) -> list[Block]:
        """Return the blocks of a round, which may be one after the planned ones, in a random order of its own.

        Blocks of the same workloads come one after the other: their keys are written once, and not for each block.
        """
        together: dict[frozenset[str], list[Block]] = {}
        for cells in in_random_order(by_block(self.cells), f"{self.settings.seed}:{number}"):
            block = Block(cells[0].block, number, tuple(Trial(cell, number) for cell in cells))
            together.setdefault(frozenset(cell.workload for cell in cells), []).append(block)
        return list(chain.from_iterable(together.values()))

    @property
    def rounds(self) -> list[Block]:
        """Return the blocks of all planned rounds."""
        return [block for number in range(1, self.settings.rounds + 1) for block in self.round(number)]

    @property
    def parts(self) -> dict[str, int]:
        """Return in how many parts the blocks are measured that do not fit into memory, by block."""
        return {cell.whole_block: cell.part for cell in sorted(self.cells, key=lambda cell: cell.part) if cell.part > 1}

    @property
    def trials(self) -> list[Trial]:
        """Return every trial, in the order in which their blocks run."""
        return [trial for block in self.rounds for trial in block.trials]

    @property
    def unsupported(self) -> list[PlannedCell]:
        """Return the cells that cannot be measured."""
        return [cell for cell in self.cells if cell.unsupported is not None]

    @property
    def named_unsupported(self) -> list[PlannedCell]:
        """Return those of them whose clients the user named."""
        return [cell for cell in self.unsupported if cell.client.name in self.named]

    @property
    def clients(self) -> list[Client]:
        """Return every client once, in the suite's order."""
        return list({cell.client.name: cell.client for cell in self.cells}.values())


def parts_lines(plan: Plan) -> list[str]:
    """Return which blocks memory splits, and which clients are not compared for that reason."""
    return [
        f"{block} is measured in {parts} parts: all its processes at once need more memory than is free; cells in "
        "different parts are not compared"
        for block, parts in plan.parts.items()
    ]


def by_block(cells: Iterable[PlannedCell]) -> list[list[PlannedCell]]:
    """Return the cells of each block that can be measured."""
    blocks: dict[str, list[PlannedCell]] = {}
    for cell in cells:
        if cell.unsupported is None:
            blocks.setdefault(cell.block, []).append(cell)
    return list(blocks.values())


Turn = TypeVar("Turn")


def in_random_order(turns: Sequence[Turn], seed: str) -> list[Turn]:
    """Return a lap's participants, or a round's blocks, in the random order in which they take turns."""
    # Not for secrets: the same seed must give the same order.
    order = list(turns)
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret
    return order
