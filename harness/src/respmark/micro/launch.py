"""Starts a language's micro-benchmarks against the run's own server, and reads what they leave."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from respmark import __version__
from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, NothingRanError, RespmarkError, TargetError
from respmark.evidence.info import server_info, server_version
from respmark.execute.process import runner_environment
from respmark.idle import kept_awake
from respmark.micro.benchmarkdotnet import read_benchmarkdotnet
from respmark.micro.jmh import read_failures, read_jmh
from respmark.micro.model import MicroRecord, MicroRun, Tool, ToolName
from respmark.micro.store import create, write_micro
from respmark.redaction import redacted
from respmark.results.machine import this_machine
from respmark.results.manifest import RunStatus, TargetDescription
from respmark.results.store import write_file
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.specs.runner import MicroSpec, RunnerSpec
from respmark.specs.target import TargetSpec
from respmark.target.folders import guarded_folder
from respmark.target.guardian import Guardian
from respmark.target.process_group import GATE, OPEN_GATE, end_child, swept
from respmark.target.spawn import build_of
from respmark.target.target import Target, opened
from respmark.target.url import address

LOG: Final = "tool.log"
LAST_WORDS: Final = 300
SPAWNED: Final = "spawned"
LIBRARY_LINE: Final = re.compile(r"^respmark\.library\.(?P<name>[A-Za-z0-9._-]+)=(?P<version>\S+)$", re.MULTILINE)
"""How a tool reports which version of a client library it has loaded, if its file has no room for that."""


READERS: Final = {ToolName.JMH: read_jmh, ToolName.BENCHMARKDOTNET: read_benchmarkdotnet}
KINDS: Final = {2: InvalidRequestError, 4: TargetError}
"""Exit codes of a tool that mean the same as ours."""


@dataclass(frozen=True)
class MicroRequest:
    """What is to be measured, and where its results go."""

    runner: RunnerSpec
    folder: Path
    command_line: list[str]
    job: str = "short"
    forks: int | None = None
    filter: str | None = None
    awake: bool = False
    """Whether idle CPUs are kept from sleeping."""


def micro_spec(name: str, catalogue: Catalogue) -> RunnerSpec:
    """Return the runner of a language that has micro-benchmarks.

    Raises:
        InvalidRequestError: the language has none; the message lists those that do.
    """
    runner = catalogue.runners.get(name)
    if runner is None or runner.micro is None:
        there = ", ".join(sorted(name for name, spec in catalogue.runners.items() if spec.micro)) or "none"
        message = f"`{name}` has no micro-benchmarks; these have: {there}"
        raise InvalidRequestError(message)
    return runner


def run_micro(request: MicroRequest, catalogue: Catalogue, guardian: Guardian, say: Callable[[str], None]) -> MicroRun:
    """Run the tool, write what it measured into the request's folder, and return it.

    Raises:
        NothingRanError: the tool or a server is missing, another run is measuring, or the tool ended without results;
            the message then has its last words, and where its output is.
        InvalidRequestError: the tool does not accept the request.
        TargetError: the tool did not reach the target.
        KeyboardInterrupt: after everything that was started has ended.
    """
    spec = _spec(request)
    target_spec: TargetSpec = catalogue.target(SPAWNED)
    command_after = _optional(spec, request)
    with (
        only_run(lock_path()),
        kept_awake() if request.awake else nullcontext(),
        opened(target_spec, guardian, allow_flush=True) as target,
        guarded_folder(guardian, "micro") as folder,
    ):
        out = create(request.folder)
        began = datetime.now(UTC)
        command = _command(spec, target.endpoint, _password_file(target.endpoint, folder), request.job, out)
        say(f"{spec.tool} measures, job {request.job}; what it prints stands in {out / LOG}")
        code = _wait(command + command_after, out / LOG, spec, guardian)
        run = _run(request, _told(target, target_spec.name), began, _left(spec, out, code))
    write_micro(request.folder, run)
    return run


def _command(spec: MicroSpec, endpoint: Endpoint, password_file: Path, job: str, out: Path) -> list[str]:
    return spec.command_for(endpoint.host or "", endpoint.port or 0, password_file, job, out)


def _password_file(endpoint: Endpoint, folder: Path) -> Path:
    """Write the server's password to a file that only we can read."""
    file = folder / "password"
    file.touch(mode=0o600)
    file.write_text(endpoint.password.get_secret_value() if endpoint.password else "", encoding="utf-8")
    return file


def _spec(request: MicroRequest) -> MicroSpec:
    if request.runner.micro is None:
        message = f"`{request.runner.name}` has no micro-benchmarks"
        raise InvalidRequestError(message)
    return request.runner.micro


def _optional(spec: MicroSpec, request: MicroRequest) -> list[str]:
    words: list[str] = []
    for name, template, value in (("forks", spec.forks, request.forks), ("filter", spec.filter, request.filter)):
        if value is None:
            continue
        if not template:
            message = f"--{name}: the micro-benchmarks of {request.runner.name} have no such setting"
            raise InvalidRequestError(message)
        words += [word.replace(f"{{{name}}}", str(value)) for word in template]
    return words


def _wait(command: list[str], log: Path, spec: MicroSpec, guardian: Guardian) -> int:
    with opened_log(log) as output:
        process = _started(command, output, spec)
        guardian.protect_process(process.pid)
        try:
            with swept(process):
                process.communicate(OPEN_GATE)
                return process.returncode
        finally:
            end_child(process)
            guardian.release_process(process.pid)


@contextmanager
def opened_log(log: Path) -> Iterator[IO[bytes]]:
    """Open the file for what the tool prints.

    Raises:
        RunFolderError: it cannot be written.
    """
    write_file(log, b"")
    with log.open("wb") as output:
        yield output


def _started(command: list[str], output: IO[bytes], spec: MicroSpec) -> "subprocess.Popen[bytes]":
    if shutil.which(command[0]) is None:
        message = f"{command[0]}: {os.strerror(errno.ENOENT)}; {spec.advice}"
        raise NothingRanError(message)
    try:
        return subprocess.Popen(  # noqa: S603 - the command comes from a spec
            [*GATE, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=runner_environment(),
        )
    except OSError as error:
        message = f"{command[0]}: {error.strerror}; {spec.advice}"
        raise NothingRanError(message) from error


def _left(spec: MicroSpec, out: Path, code: int) -> tuple[Tool, list[MicroRecord]]:
    """Read what the tool left; a tool may have failed, and still have left some results."""
    files = sorted(path for path in out.glob(spec.results) if path.stat().st_size)
    parts = [READERS[ToolName(spec.tool)](path) for path in files]
    records = [record for _, found in parts for record in found]
    if spec.failures is not None and (out / spec.failures).is_file():
        records += read_failures(out / spec.failures)
    if not records:
        raise _failure(spec, out / LOG, code)
    versions = {found["name"]: found["version"] for found in LIBRARY_LINE.finditer(_text(out / LOG))}
    tool = parts[0][0] if parts else Tool(name=ToolName(spec.tool), version=None)
    return tool, [_with_version(record, versions) for record in records]


def _with_version(record: MicroRecord, versions: dict[str, str]) -> MicroRecord:
    if record.library is None or record.library_version is not None:
        return record
    return record.model_copy(update={"library_version": versions.get(record.library)})


def _failure(spec: MicroSpec, log: Path, code: int) -> RespmarkError:
    last = next((line.strip() for line in reversed(_text(log).splitlines()) if line.strip()), "it said nothing")
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    said = redacted(last.removeprefix("error: "))[:LAST_WORDS]
    advice = spec.advice if "Unable to access jarfile" in last or "does not exist" in last else ""
    message = "; ".join(filter(None, (f"{spec.tool} {how} and left no results: {said}", advice, f"its output: {log}")))
    return KINDS.get(code, NothingRanError)(message)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _told(target: Target, name: str) -> TargetDescription:
    info = server_info(target.control)
    return TargetDescription(
        name=name,
        address=address(target.endpoint),
        spawned=target.spawned,
        program=target.program,
        version=server_version(info) + build_of(target.program),
        info=info,
    )


def _run(
    request: MicroRequest, target: TargetDescription, began: datetime, left: tuple[Tool, list[MicroRecord]]
) -> MicroRun:
    tool, records = left
    return MicroRun(
        schema_version=SCHEMA_VERSION,
        run_id=request.folder.name,
        respmark_version=__version__,
        command_line=request.command_line,
        status=RunStatus.COMPLETE,
        started_at=began,
        ended_at=datetime.now(UTC),
        tool=tool,
        job=request.job,
        machine=this_machine(),
        awake=request.awake,
        target=target,
        records=records,
    )
