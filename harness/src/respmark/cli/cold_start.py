"""`respmark cold-start`: how long a new process takes to its first reply."""

from pathlib import Path
from typing import Annotated, Final

from respmark.cli.options import PasswordOptions, PinOptions, Repeated, RunOptions, clients_named
from respmark.cli.via import Via
from respmark.errors import ExitCode, InvalidRequestError
from respmark.machine.placement import FREE
from respmark.plan.request import Request
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = {
    "cold-start": """
respmark cold-start
respmark cold-start --client 'python/*' --client 'redis-py[parser=python]'
respmark cold-start --client redis-py --client redis-py@4 --starts 50
respmark cold-start --resume results/20261128T190000Z-cold-start-seed1
"""
}
SUITE: Final = "cold-start"
ROUNDS: Final = 5
"""Over which starts are spread, if there are so many."""


def cold_start(
    *,
    client: Annotated[tuple[str, ...], Repeated] = (),
    starts: int = 20,
    seed: int = 1,
    out: Path | None = None,
    resume: Path | None = None,
) -> ExitCode:
    """Start each client's program again and again, and print how long it takes to its first reply, stage by stage.

    Args:
        client: This client, named as in `run`; repeats. Default: every library, and hiredis beside them.
        starts: Processes of each client at least, one after the other and in turns.
        seed: Decides the order of clients in each turn.
        out: Folder for the results; default: a new one under results/.
        resume: Continue the interrupted run in this folder; other options must be those it was started with.
    """
    if starts < 1:
        raise InvalidRequestError(f"--starts must be at least 1 (is {starts})")
    how = RunOptions(out=out, resume=resume)
    how.check()
    from respmark.cli.under_way import measure  # noqa: PLC0415 - takes long to load, and `--help` needs none of it

    rounds = min(ROUNDS, starts)
    catalogue = Catalogue()
    clients = tuple(clients_named(client, catalogue))
    request = Request(SUITE, clients, rounds=rounds, laps=-(-starts // rounds), seed=seed)
    # As programs start on this machine: wherever the kernel puts them, on CPUs that may sleep.
    pins = PinOptions(cpus=FREE, awake=False)
    return measure(request, catalogue, servers=(), password=PasswordOptions(), via=Via(), pins=pins, how=how)
