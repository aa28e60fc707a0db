"""Reads any tool's file, and imports files that were written elsewhere."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from respmark import __version__
from respmark.contract.base import SCHEMA_VERSION
from respmark.errors import InvalidRequestError
from respmark.micro.benchmarkdotnet import read_benchmarkdotnet
from respmark.micro.jmh import read_jmh
from respmark.micro.model import MicroRecord, MicroRun, Tool, ToolName
from respmark.micro.pyperf import read_pyperf
from respmark.micro.store import write_micro, write_raw
from respmark.results.manifest import RunStatus
from respmark.results.untrusted import fitting_together, read_regular


@dataclass(frozen=True)
class Left:
    """What a tool left."""

    tool: Tool
    machine_told: str | None
    records: list[MicroRecord]


def read_tool(tool: ToolName, path: Path) -> Left:
    """Read a file of the tool.

    Raises:
        InvalidRequestError: it is not one of the tool's files.
    """
    with fitting_together(path):
        if tool is ToolName.JMH:
            jmh, records = read_jmh(path)
            return Left(jmh, None, records)
        if tool is ToolName.PYPERF:
            return Left(*read_pyperf(path))
        return Left(*read_benchmarkdotnet(path))


def import_file(tool: ToolName, path: Path, folder: Path, command_line: list[str]) -> MicroRun:
    """Read a file that the tool wrote elsewhere; write what it holds into a results folder, with a copy of the file.

    Raises:
        InvalidRequestError: it is not a file of that tool, or holds no benchmark.
        RunFolderError: the folder cannot be written.
    """
    left = read_tool(tool, path)
    if not left.records:
        message = f"{path} holds no benchmark"
        raise InvalidRequestError(message)
    now = datetime.now(UTC)
    run = MicroRun(
        schema_version=SCHEMA_VERSION,
        run_id=folder.name,
        respmark_version=__version__,
        command_line=command_line,
        status=RunStatus.COMPLETE,
        started_at=now,
        ended_at=now,
        tool=left.tool,
        job=None,
        imported_from=path.name,
        machine=None,
        machine_told=left.machine_told,
        target=None,
        records=left.records,
    )
    write_raw(folder, path.name, read_regular(path))
    write_micro(folder, run)
    return run
