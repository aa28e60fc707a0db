"""`respmark trials` and `respmark compact`: the records of a run as plain JSON, and in little space."""

from pathlib import Path
from typing import Final

from respmark.cli.options import tell
from respmark.console import write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.results.packing import compact_run
from respmark.results.store import read_run

EXAMPLES: Final = """
respmark trials results/published/quick > trials.ndjson
respmark trials results/published/quick --trial redis-py--sync--round=1 | jq .slices
"""
COMPACT_EXAMPLES: Final = """
respmark compact results/20261101T090000Z-quick-seed1
"""


def trials(run: Path, /, *, trial: tuple[str, ...] = ()) -> ExitCode:
    """Print the records of a run as JSON, one object per line, with every slice and histogram written out.

    Args:
        run: Folder of a run.
        trial: Only this trial; repeats.
    """
    records = {record.trial_id: record for record in read_run(run).records}
    if unknown := [name for name in trial if name not in records]:
        raise InvalidRequestError(f"{run} has no trial {unknown[0]}; respmark trials {run} prints all")
    for name in trial or records:
        write_out(f"{records[name].model_dump_json()}\n")
    return ExitCode.OK


def compact(*runs: Path) -> ExitCode:
    """Pack the records of runs, many to a file: the same content in half the space, and faster to read.

    Args:
        runs: Folders of runs.
    """
    for run in runs:
        tell(f"{run}: {compact_run(run):,} records are compact")
    return ExitCode.OK
