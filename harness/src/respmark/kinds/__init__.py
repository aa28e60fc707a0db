"""Kinds of trial: what is done with a block once it is its turn, and what that leaves. Each kind is a folder here.

A kind has a `measurement`, which is made for each round of a block and does two things (`run.block.Measurement`):
`measure()` works with the trials' processes, which `run.block.BlockRun` starts and ends; `outcome(trial)` then says what
became of one, as a function of what was kept. What all kinds have in common knows none of them: only `cli` imports this,
and passes `measurement_of` to whoever opens a run.

A new kind is a folder, and a line in `measurement_of`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respmark.run.block import BlockRun, Measurement
    from respmark.run.state import RunState


def measurement_of(run: "BlockRun", state: "RunState") -> "Measurement":
    """Return the measurement of one round of a block, by the kind of its trials."""
    from respmark.kinds.loops.measurement import LoopsMeasurement  # noqa: PLC0415 - a report needs none of it

    return LoopsMeasurement(run, state)
