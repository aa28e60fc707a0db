"""Measures and shows progress; a run draws only when something has happened, because drawing takes CPU."""

import json
import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from respmark import kinds, paths
from respmark.cli.options import PasswordOptions, PinOptions, RunOptions, tell
from respmark.cli.via import Via
from respmark.console import Output, report_console
from respmark.errors import ExitCode, InvalidRequestError, ResultsLostError, ServerError
from respmark.escaping import line
from respmark.machine.checks import quick_warnings
from respmark.machine.guardian import Guardian
from respmark.numbers import duration
from respmark.plan.make import make_plan
from respmark.plan.needs import needs
from respmark.plan.plan import Block, Plan, parts_lines
from respmark.plan.request import Request
from respmark.plan.room import check_room
from respmark.redaction import redacted
from respmark.results.manifest import Until
from respmark.results.records import Status, TrialRecord
from respmark.results.store import read_manifest
from respmark.run.observer import Observer, Progress
from respmark.run.resume import earlier_run
from respmark.run.run import Run, new_run_id, opened
from respmark.run.testbed import OpenOptions
from respmark.servers.node import connection_limit
from respmark.servers.url import is_here
from respmark.setup.commits import commit_of
from respmark.setup.host import SetupHost
from respmark.setup.prepare import Prepared
from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import lacking_lines
from respmark.specs.server import processes_of

LOOKS: Final = 2
"""Intervals of a run with `--until` are those of so many looks at its figures (Bonferroni: 97.5 %). That keeps 95 %
however often it looks, because it stops by widths alone (harness/bench/looks.py)."""
PRECISE_LAPS: Final = 12
"""Of a run that goes on until comparisons are narrow: at most 4 % wider than with the best number in the same time,
which depends on what preparing a block costs (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013)."""
UNTIL_MIN: Final = 60.0
"""How many minutes `--until` has where neither user nor suite says."""
FIRST: Final = 3
"""How many clients are named when a block ends."""


def measure(
    request: Request,
    catalogue: Catalogue,
    *,
    servers: Sequence[str],
    password: PasswordOptions,
    via: Via,
    pins: PinOptions,
    how: RunOptions,
    prepared: Prepared | None = None,
) -> ExitCode:
    """Measure what was asked for, on `servers` that the command line names; `prepared` is what was set up already."""
    plan = within(make_plan(request, catalogue), how.minutes)
    until = until_of(how, plan.settings.minutes)
    if request.laps is None and until is not None:
        plan = with_precise_laps(plan)
    for left_out in lacking_lines(plan.left_out):
        tell(f"not measured: {left_out}")
    for split in parts_lines(plan):
        tell(split)
    specs = [catalogue.server(name) for name in plan.settings.servers.values()]
    password.take(servers, specs)
    folder = how.resume or how.out or paths.results() / new_run_id(plan, datetime.now(UTC))
    minutes = plan.settings.minutes
    options = replace(
        open_options(plan, catalogue, folder, via=via, pins=pins, how=how, prepared=prepared),
        command_line=_command_line(how, request.rounds),
        until=until,
        limit_s=until.budget_s if until is not None else minutes and minutes * 60,
        fills_limit=until is None and how.minutes is not None and request.rounds is None,
    )
    console, is_new = report_console(), not (folder / "manifest.json").exists()
    observer, drawing = _observer(console, how)
    try:
        with (
            closing(Guardian()) as guardian,
            drawing,
            _resumable(folder),
            opened(options, guardian, observer, kinds) as run,
        ):
            for number in run.rounds():
                if isinstance(observer, LiveProgress):
                    _print_provisional(run, number, console)
            if until is not None:
                from respmark.cli.until import measure_until  # noqa: PLC0415 - takes long to load: not before the first slice

                measure_until(run, until, observer.note)
    except (KeyboardInterrupt, ResultsLostError) as error:
        if is_new:
            code = error.exit_code if isinstance(error, ResultsLostError) else ExitCode.INTERRUPTED
            _tell_results(console, folder, catalogue, code, how)
        raise
    _tell_results(console, folder, catalogue, run.exit_code, how)
    return run.exit_code


@contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    """Say how a run is continued that was interrupted, or whose server was lost for good."""
    try:
        yield
    except (KeyboardInterrupt, ServerError):
        if (folder / "manifest.json").exists():
            tell(f"what has ended is kept; to continue: {resuming(sys.argv, folder)}")
        raise


def resuming(words: Sequence[str], folder: Path) -> str:
    """Return the command that continues what a command line has begun in a folder."""
    return shlex.join([*command_without(words, "--out", "--until", "--resume"), "--resume", str(folder)])


def _command_line(how: RunOptions, rounds: int | None) -> list[str]:
    """Return the command line for the manifest; of a run that is resumed, what would measure it at once."""
    if how.resume is None:
        return command_line(sys.argv)
    words = read_manifest(how.resume).command_line
    for option, value in ("--rounds", rounds), ("--minutes", how.minutes):
        if value is not None:
            words = [*command_without(words, option), option, f"{value:g}"]
    return words


def command_without(words: Sequence[str], *options: str) -> list[str]:
    """Return a command line without these options and their values."""
    kept = command_line(list(words))
    for option in options:
        while option in kept:
            at = kept.index(option)
            del kept[at : at + 2]
        kept = [word for word in kept if not word.startswith(f"{option}=")]
    return kept


def open_options(
    plan: Plan,
    catalogue: Catalogue,
    folder: Path,
    *,
    via: Via,
    pins: PinOptions,
    how: RunOptions,
    prepared: Prepared | None = None,
) -> OpenOptions:
    """Set up what a plan needs, unless it is `prepared`, and return how its run is opened; refuse it without room."""
    servers = {name: catalogue.server(address) for name, address in plan.settings.servers.items()}
    specs, here = list(servers.values()), {name: spec for name, spec in servers.items() if is_here(spec)}
    servers_here = max(map(processes_of, here.values()), default=0)
    limits = {name: connection_limit(spec) for name, spec in servers.items()}
    check_room(needs(plan, catalogue.runners, servers), folder, servers_here=here.keys(), limits=limits)
    if how.resume is not None:
        earlier_run(how.resume, plan)  # refuses what cannot go on, before anything is set up
    packages = (prepared or via.set_up(plan.clients, specs, catalogue)).packages
    built = {client.name: client.own_build for client in plan.clients if client.own_build is not None}
    host = SetupHost(say=tell)
    return OpenOptions(
        plan,
        catalogue,
        folder,
        command_line(sys.argv),
        quick_warnings(max(cell.shape.processes for cell in plan.cells), servers_here=servers_here),
        how.allow_flush,
        opener=via.opener(via.placement(pins, specs)),
        resume=how.resume is not None,
        packages=packages,
        commits={name: commit for name, build in built.items() if (commit := commit_of(build, host))},
    )


def until_of(how: RunOptions, suite_minutes: float | None) -> Until | None:
    """Return how narrow comparisons are to become; a run that is resumed goes on until its own are."""
    if how.resume is not None:
        return read_manifest(how.resume).until
    if how.until is None:
        return None
    minutes = how.minutes or suite_minutes or UNTIL_MIN
    try:
        return Until(half_width=float(how.until.removesuffix("%")) / 100, budget_s=minutes * 60, looks=LOOKS)
    except ValueError as error:
        raise InvalidRequestError(f"--until {how.until}: write a percentage, such as 2%") from error


def within(plan: Plan, minutes: float | None) -> Plan:
    """Return the plan with the minutes that the user gave; None: with its own."""
    if minutes is None:
        return plan
    if not 0 < minutes < math.inf:
        raise InvalidRequestError("--minutes must be more than 0, and finite")
    return replace(plan, settings=replace(plan.settings, minutes=minutes))


def with_precise_laps(plan: Plan) -> Plan:
    """Return the plan with the number of laps that narrows a ratio most in a given time."""
    return replace(plan, settings=replace(plan.settings, laps=PRECISE_LAPS))


def command_line(words: list[str]) -> list[str]:
    """Return the command line for the manifest, without passwords."""
    return [Path(words[0]).name, *map(redacted, words[1:])]


def _observer(console: Console, how: RunOptions) -> tuple[Observer, AbstractContextManager[object]]:
    if how.json_lines:
        return JsonLines(), nullcontext()
    if how.quiet:
        return Observer(), nullcontext()
    progress = LiveProgress(console)
    return progress, progress.drawing


def _print_provisional(run: Run, number: int, console: Console) -> None:
    """Print the answer so far after a round, if more are to come."""
    from respmark.cli.summary import print_provisional  # noqa: PLC0415 - as above

    planned = run.plan.settings.rounds
    if number <= planned and run.goes_on:
        words = f"provisional, after round {number} of {planned}; about {duration(run.left_s)} left"
        print_provisional(console, run.folder.folder, run.options.catalogue, number, words)


def _tell_results(console: Console, folder: Path, catalogue: Catalogue, code: ExitCode, how: RunOptions) -> None:
    if how.json_lines:
        write_event("run-ended", folder=str(folder), exit_code=int(code))
    elif (folder / "manifest.json").is_file():
        from respmark.cli.summary import print_summary  # noqa: PLC0415 - as above

        print_summary(console, folder, catalogue, details=how.details)


class LiveProgress(Observer):
    """Two lines that change on a terminal: where it is, and what the last block found; elsewhere one line a block."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._block, self._progress = Block("", 0, ()), Progress(0, 0, 0.0)
        self._records: list[TrialRecord] = []
        self._found = ""
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None
        self.drawing: AbstractContextManager[object] = self._live or nullcontext()
        """The context in which it draws, to be entered while the run measures."""

    def block_started(self, block: Block, progress: Progress) -> None:
        """Show which block runs."""
        self._progress, self._block, self._records = progress, block, []
        self.progress("")

    def progress(self, text: str) -> None:
        """Show where it is."""
        if self._live is not None:
            lines = [f"block {self._progress.number} of {self._progress.of}, {self._left}: {self._what}  {text}"]
            lines += [f"last: {self._found}"] if self._found else []
            self._live.update(Text("\n".join(map(line, lines)), no_wrap=True, overflow="ellipsis"), refresh=True)

    def trial_ended(self, record: TrialRecord) -> None:
        """Show what became of it, when its block has ended, or at once where it went wrong."""
        self._records.append(record)
        place = f"[{self._progress.number}/{self._progress.of}] {self._what}"
        if record.status is not Status.OK:
            self.note(f"{place}: {record.client.name}: {record.status}: {record.reason}")
        if len(self._records) == len(self._block.trials):
            self._found = _first_clients(self._records)
            if self._live is None and self._found:
                self.note(f"{place}: {self._found}; {self._left}")

    def note(self, text: str) -> None:
        """Show a line that stays."""
        self._console.print(line(text), soft_wrap=True)

    @property
    def _left(self) -> str:
        return f"about {duration(self._progress.left_s)} left"

    @property
    def _what(self) -> str:
        return f"{self._block.name.replace('--', ', ')}, round {self._block.round}"


def _first_clients(records: list[TrialRecord]) -> str:
    """Write the highest figures of one round of a block: what was found, before anything can be claimed."""
    rates = {record.client.name: record.rps for record in records if record.status is Status.OK}
    figures = {client: rps for client, rps in rates.items() if rps is not None}
    order = sorted(figures, key=lambda client: -figures[client])
    first = ", ".join(f"{client} {figures[client]:,.0f}" for client in order[:FIRST])
    return first and f"{first} (commands/s)"


class JsonLines(Observer):
    """One JSON object a line on standard output as it happens: block-started, trial-ended, note or run-ended."""

    def block_started(self, block: Block, progress: Progress) -> None:
        """Tell which block runs, of how many, and about how many seconds are left."""
        at = {"block": block.name, "round": block.round, "number": progress.number, "of": progress.of}
        write_event("block-started", **at, left_s=round(progress.left_s, 1))

    def trial_ended(self, record: TrialRecord) -> None:
        """Tell what became of it; `rps` is of this round alone."""
        names = ("trial_id", "scenario", "round", "status", "reason")
        fields = {name: getattr(record, name) for name in names}
        rps = record.rps if record.status is Status.OK else None
        write_event("trial-ended", **fields, client=record.client.name, rps=rps and round(rps, 1))

    def note(self, text: str) -> None:
        """Tell something beside the trials."""
        write_event("note", text=text)


def write_event(event: str, **fields: object) -> None:
    """Write one line; all but ASCII is escaped, so that foreign text cannot inject terminal escapes."""
    output = Output("stdout")
    output.write(json.dumps({"event": event, **fields}, allow_nan=False) + "\n")
    output.flush()
