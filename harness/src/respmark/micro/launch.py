"""Starts a language's micro-benchmarks against the run's own server, and reads what they leave."""

import re
import shutil
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from respmark import __version__
from respmark.contract.base import SCHEMA_VERSION
from respmark.errors import InvalidRequestError, NothingRanError, RespmarkError, ServerError
from respmark.machine.awake import kept_awake
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian, guarded_folder, start_guarded
from respmark.machine.lock import lock_path, only_run
from respmark.machine.process import runner_environment
from respmark.machine.process_group import end_child, reap
from respmark.micro.model import (
    MICRO,
    RAW,
    MicroRecord,
    MicroRun,
    Tool,
    read_benchmarkdotnet,
    read_failures,
    read_jmh,
    read_own,
)
from respmark.redaction import redacted
from respmark.results.manifest import RunStatus
from respmark.results.store import make_folder, write_file, write_model
from respmark.run.manifest import server_description
from respmark.servers.server import open_server
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.runner import MicroSpec

LOG: Final = "tool.log"
LAST_WORDS: Final = 300
LIBRARY_LINE: Final = re.compile(r"^respmark\.library\.([A-Za-z0-9._-]+)=(\S+)$", re.MULTILINE)
"""How a tool reports which version of a client library it has loaded, if its file has no room for that."""
READERS: Final = {"jmh": read_jmh, "benchmarkdotnet": read_benchmarkdotnet, "respmark": read_own}
KINDS: Final = {2: InvalidRequestError, 4: ServerError}
"""Exit codes of a tool that mean the same as ours."""


@dataclass(frozen=True)
class MicroRequest:
    """What is to be measured, and where its results go."""

    spec: MicroSpec
    folder: Path
    command_line: list[str]
    job: str = "short"
    forks: int | None = None
    filter: str | None = None
    awake: bool = False
    """Whether idle CPUs are kept from sleeping."""


def micro_spec(name: str, catalogue: Catalogue) -> MicroSpec:
    """Return the micro-benchmarks of a language; raises InvalidRequestError, which lists those that have any."""
    runner = catalogue.runners.get(name)
    if runner is None or runner.micro is None:
        there = ", ".join(sorted(name for name, spec in catalogue.runners.items() if spec.micro)) or "none"
        raise InvalidRequestError(f"`{name}` has no micro-benchmarks; these have: {there}")
    return runner.micro


def run_micro(request: MicroRequest, catalogue: Catalogue, guardian: Guardian, say: Callable[[str], None]) -> MicroRun:
    """Run the tool, write what it measured into the request's folder, and return it.

    Raises:
        NothingRanError: the tool or a server is missing, another run is measuring, or the tool ended without results;
            the message then has its last words, and where its output is.
        InvalidRequestError: the tool does not accept the request.
        ServerError: the tool did not reach the server.
        KeyboardInterrupt: after everything that was started has ended.
    """
    spec, optional, out = request.spec, _optional(request), request.folder / RAW
    with (
        only_run(lock_path()),
        kept_awake() if request.awake else nullcontext(),
        closing(open_server(catalogue.server(USUAL_SERVER), guardian, allow_flush=True)) as server,
        guarded_folder(guardian, "micro") as folder,
    ):
        make_folder(out)
        began, at, password = datetime.now(UTC), server.endpoint, folder / "password"
        password.touch(mode=0o600)
        password.write_text(at.password.get_secret_value() if at.password else "", encoding="utf-8")
        command = spec.command_for(at.host or "", at.port or 0, password, request.job, out)
        say(f"{spec.tool} runs job {request.job}; its output is in {out / LOG}")
        code = _wait(command + optional, out / LOG, spec, guardian)
        tool, records = _left(spec, out, code)
        run = MicroRun(
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
            server=server_description(server),
            records=records,
        )
    write_model(request.folder / MICRO, run)
    return run


def _optional(request: MicroRequest) -> list[str]:
    words: list[str] = []
    spec = request.spec
    for name, template, value in (("forks", spec.forks, request.forks), ("filter", spec.filter, request.filter)):
        if value is not None and not template:
            raise InvalidRequestError(f"--{name}: {spec.tool} has no such setting")
        if value is not None:
            words += [word.replace(f"{{{name}}}", str(value)) for word in template]
    return words


def _wait(command: list[str], log: Path, spec: MicroSpec, guardian: Guardian) -> int:
    if shutil.which(command[0]) is None:
        raise NothingRanError(f"{command[0]}: No such file or directory; {spec.advice}")
    write_file(log, b"")  # says why it cannot be written
    with log.open("wb") as output:
        process = start_guarded(guardian, command, output, env=runner_environment())
        try:
            return reap(process)
        finally:
            end_child(process)
            guardian.release("process", process.pid)


def _left(spec: MicroSpec, out: Path, code: int) -> tuple[Tool, list[MicroRecord]]:
    """Read what the tool left; a tool may have failed, and still have left some results."""
    parts = [READERS[spec.tool](path) for path in sorted(out.glob(spec.results)) if path.stat().st_size]
    records = [record for _, found in parts for record in found]
    if spec.failures is not None and (out / spec.failures).is_file():
        records += read_failures(out / spec.failures)
    printed = (out / LOG).read_text(encoding="utf-8", errors="replace")
    if not records:
        raise _failure(spec, printed, out / LOG, code)
    versions = {library or None: version for library, version in LIBRARY_LINE.findall(printed)}
    versioned = [
        one.model_copy(update={"library_version": one.library_version or versions.get(one.library)}) for one in records
    ]
    return parts[0][0] if parts else Tool(name=spec.tool, version=None), versioned


def _failure(spec: MicroSpec, printed: str, log: Path, code: int) -> RespmarkError:
    last = next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "it said nothing")
    how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
    said = redacted(last.removeprefix("error: "))[:LAST_WORDS]
    advice = spec.advice if "Unable to access jarfile" in last or "does not exist" in last else ""
    message = "; ".join(filter(None, (f"{spec.tool} {how} and wrote no results: {said}", advice, f"its output: {log}")))
    return KINDS.get(code, NothingRanError)(message)
