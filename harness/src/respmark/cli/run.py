"""`respmark run`: measures, and prints the tables."""

import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from respmark.cli.live import LiveProgress, Provisional
from respmark.cli.options import DEFAULTS, USUAL_CPUS, PinOptions, PlanOptions, tell
from respmark.cli.other_progress import JsonLines, NoProgress, run_ended
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.cli.setup import set_up
from respmark.cli.time_left import TimeLeft
from respmark.console import report_console
from respmark.doctor.checks import quick_warnings
from respmark.doctor.room import check_room, room_at
from respmark.errors import ExitCode, InvalidRequestError, ResultsLostError
from respmark.execute.backend import BackendName, backend_named
from respmark.guidance.verdict import verdicts_of
from respmark.launch import LaunchOptions, launch, new_run_id
from respmark.paths import RESULTS
from respmark.plan.expand import make_plan
from respmark.plan.needs import needs
from respmark.plan.trial import Plan
from respmark.report.answer import answer
from respmark.report.answer_text import print_answer
from respmark.report.tables import make_report
from respmark.report.terminal import print_report
from respmark.results.manifest import Until
from respmark.specs.catalogue import Catalogue
from respmark.statistics.cells import read_counted
from respmark.target.guardian import Guardian
from respmark.target.url import is_here, redact


@Parameter(name="*")
@dataclass(frozen=True)
class Telling:
    """What is told while it measures."""

    quiet: Annotated[bool, Parameter(negative=())] = False
    """Print no progress, only the summary."""
    json_lines: Annotated[bool, Parameter(negative=())] = False
    """Print progress as one JSON object per line, for programs, and no summary."""

    def observer(self, console: Console, left: TimeLeft, provisional: Provisional) -> LiveProgress | NoProgress:
        """Return who tells it.

        Raises:
            InvalidRequestError: both are asked for.
        """
        if self.quiet and self.json_lines:
            message = "--quiet and --json-lines: choose one; the lines are the progress that --quiet leaves out"
            raise InvalidRequestError(message)
        if self.json_lines:
            return JsonLines(left)
        return NoProgress() if self.quiet else LiveProgress(console, left, provisional)


TELL = Telling()
LOOKS: Final = 5
"""How often `--until` may look at its figures: its intervals are those of 99 % for it, which together keep 95 %."""
EXAMPLES: Final = """
respmark run
respmark run smoke
respmark run post --scale smoke
respmark run --client redis-py@3.5.3 --client redis-py --scenario sync --scenario batching
respmark run --client jedis --client jedis@3.6.0 --scenario pool --threads 200 --max-total 200 --max-idle 10
respmark run --client 'redis-py[*]' --scenario batching --depth 10 --depth 1000
respmark run full --server redis://bench@10.0.0.5:6379/1 --ask-password
respmark run my-suite.toml --out results/before-upgrade
respmark run quick --via docker --pin
respmark run quick --scenario batching --until 2%
respmark run post --resume results/20261121T090000Z-post-seed1
respmark run quick --json-lines | jq 'select(.event == "trial-ended")'
"""


def run(
    suite: str = "quick",
    /,
    *,
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    via: BackendName = BackendName.LOCAL,
    pins: PinOptions = USUAL_CPUS,
    out: Path | None = None,
    allow_flush: Annotated[bool, Parameter(negative=())] = False,
    until: str | None = None,
    budget_min: float = 60.0,
    resume: Path | None = None,
    details: Annotated[bool, Parameter(negative=())] = False,
    told: Telling = TELL,
) -> ExitCode:
    """Measure a suite, check every figure against the server's counters, and print which clients are the fastest.

    Args:
        suite: A suite's name (`smoke`, `quick`, `full`) or a .toml file.
        via: `local`: runners are processes here. `docker`: each is a container, and so is the target.
        out: Folder for the results; default: a new one under results/.
        allow_flush: Empty the target's database even if it holds keys that respmark did not write.
        until: Measure until every comparison is known to this, such as `2%`, or until the budget is spent.
        resume: Continue the interrupted run in this folder: finished trials are kept, order and seed stay. The
            other options must be those it was started with.
        budget_min: For `--until`: the longest that the extra rounds may take, in minutes.
        details: Also print the tables of every client and shape.
    """
    catalogue = Catalogue()
    plan = make_plan(options.request(suite), catalogue)
    target = catalogue.target(plan.settings.target)
    password.take(options.target, target)
    if resume is not None and (out is not None or until is not None):
        message = "--resume goes on with a run as it was begun: leave --out and --until out"
        raise InvalidRequestError(message)
    folder = resume or out or RESULTS / new_run_id(plan, datetime.now(UTC))
    check_room(needs(plan, catalogue.runners), room_at(folder), server_here=is_here(target))
    backend = backend_named(via, pins.placement(target, via), tell)
    prepared = set_up(plan.clients, catalogue, via, target)
    launch_options = LaunchOptions(
        plan,
        catalogue,
        folder,
        command_line(sys.argv),
        quick_warnings(plan),
        allow_flush,
        until_of(until, budget_min),
        backend,
        resume=resume is not None,
        packages=prepared.packages,
    )
    console = report_console()
    new = not folder.exists()
    try:
        provisional = partial(print_provisional, console, folder, catalogue)
        left = TimeLeft(plan, catalogue.runners, fills_s(plan, launch_options.until))
        code = _launched(launch_options, told.observer(console, left, provisional))
    except (KeyboardInterrupt, ResultsLostError) as error:
        if new:
            _tell_results(told, console, folder, catalogue, _exit_code(error), details=details)
        raise
    _tell_results(told, console, folder, catalogue, code, details=details)
    return code


def _exit_code(error: BaseException) -> ExitCode:
    return error.exit_code if isinstance(error, ResultsLostError) else ExitCode.INTERRUPTED


def _tell_results(
    told: Telling, console: Console, folder: Path, catalogue: Catalogue, code: ExitCode, *, details: bool
) -> None:
    if told.json_lines:
        run_ended(folder, code)
    else:
        print_results(console, folder, catalogue, details=details)


def until_of(until: str | None, budget_min: float) -> Until | None:
    """Return how narrow comparisons are to become.

    Raises:
        InvalidRequestError: it is no percentage, or the budget is no time.
    """
    if until is None:
        return None
    try:
        return Until(half_width=float(until.removesuffix("%")) / 100, budget_s=budget_min * 60, looks=LOOKS)
    except ValueError as error:
        message = f"--until {until} --budget-min {budget_min:g}: write a percentage such as 2%, and minutes"
        raise InvalidRequestError(message) from error


def fills_s(plan: Plan, until: Until | None) -> float:
    """Return how long the run goes on if its rounds end earlier."""
    settings = plan.settings
    return settings.minutes * 60 if settings.minutes and settings.fills_minutes and until is None else 0.0


def _launched(options: LaunchOptions, observer: LiveProgress | NoProgress) -> ExitCode:
    with closing(Guardian()) as guardian, observer as progress:
        return launch(options, guardian, progress)


def print_results(console: Console, folder: Path, catalogue: Catalogue, *, details: bool) -> None:
    """Print the summary, or the tables, of what a run has left, if it has left anything."""
    if not (folder / "manifest.json").is_file():
        return
    run = read_counted(folder)
    report = make_report(run, catalogue.scenarios, verdicts=verdicts_of(run, catalogue))
    print_answer(console, answer(report))
    if details:
        console.print()
        print_report(console, report)
    console.print(f"\nresults in {folder}", soft_wrap=True, highlight=False)
    if report.manifest.suite.get("guidance"):
        console.print(f"which claims hold: respmark verdict {folder}", soft_wrap=True, highlight=False)


def print_provisional(console: Console, folder: Path, catalogue: Catalogue, rounds: int, words: str) -> None:
    """Print the answer of so many rounds under these words, without what only a whole run can say."""
    found = answer(make_report(read_counted(folder, rounds=rounds), catalogue.scenarios), words)
    if found.uses:
        print_answer(console, found)


def command_line(words: list[str]) -> list[str]:
    """Return the command line for the manifest, without passwords."""
    return [Path(words[0]).name, *(_without_password(word) for word in words[1:])]


def _without_password(word: str) -> str:
    option, equals, value = word.partition("=")
    if option.startswith("--") and equals:
        return f"{option}={redact(value)}"
    return redact(word) if "://" in word else word
