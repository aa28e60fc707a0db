"""What `respmark run` does: plans, sets up, measures, and prints what was found."""

import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console

from respmark.cli.options import PasswordOptions, PinOptions, RunOptions, tell
from respmark.cli.progress import JsonLines, LiveProgress, NoProgress, TimeLeft, write_event
from respmark.cli.setup import set_up
from respmark.console import report_console
from respmark.doctor.checks import check_room, quick_warnings, room_at
from respmark.errors import ExitCode, InvalidRequestError, ResultsLostError
from respmark.execute.backend import backend_named
from respmark.guidance.verdict import verdicts_of
from respmark.launch import LaunchOptions, launch, new_run_id
from respmark.paths import RESULTS
from respmark.placement import BackendName
from respmark.plan.expand import Request, make_plan
from respmark.plan.needs import needs
from respmark.plan.trial import Plan
from respmark.redaction import redacted
from respmark.report.answer import answer
from respmark.report.document import detailed, summary
from respmark.report.report import make_report
from respmark.report.terminal import print_chapters
from respmark.results.manifest import Until
from respmark.specs.catalogue import Catalogue
from respmark.statistics.cells import read_counted
from respmark.target.guardian import Guardian
from respmark.target.url import is_here

LOOKS: Final = 5
"""How often `--until` may look at its figures: its intervals are those of 99 % for it, which together keep 95 %."""


def measure(
    request: Request,
    *,
    server: str | None,
    password: PasswordOptions,
    via: BackendName,
    pins: PinOptions,
    how: RunOptions,
) -> ExitCode:
    """Measure what was asked for; `server` is what the command line says of the target."""
    catalogue = Catalogue()
    plan = make_plan(request, catalogue)
    target = catalogue.target(plan.settings.target)
    password.take(server, target)
    folder = how.resume or how.out or RESULTS / new_run_id(plan, datetime.now(UTC))
    check_room(needs(plan, catalogue.runners), room_at(folder), server_here=is_here(target))
    backend = backend_named(via, pins.placement(target, via), tell)
    packages = set_up(plan.clients, catalogue, via, target).packages
    options = LaunchOptions(
        plan,
        catalogue,
        folder,
        command_line(sys.argv),
        quick_warnings(plan),
        how.allow_flush,
        until_of(how.until, how.budget_min),
        backend,
        resume=how.resume is not None,
        packages=packages,
    )
    console, is_new = report_console(), not folder.exists()
    try:
        with closing(Guardian()) as guardian, _observer(options, console, how) as progress:
            code = launch(options, guardian, progress)
    except (KeyboardInterrupt, ResultsLostError) as error:
        if is_new:
            code = error.exit_code if isinstance(error, ResultsLostError) else ExitCode.INTERRUPTED
            _tell_results(console, folder, catalogue, code, how)
        raise
    _tell_results(console, folder, catalogue, code, how)
    return code


def _observer(options: LaunchOptions, console: Console, how: RunOptions) -> NoProgress:
    left = TimeLeft(options.plan, options.catalogue.runners, fills_s(options.plan, options.until))
    if how.json_lines:
        return JsonLines(left)
    provisional = partial(print_provisional, console, options.folder, options.catalogue)
    return NoProgress() if how.quiet else LiveProgress(console, left, provisional)


def _tell_results(console: Console, folder: Path, catalogue: Catalogue, code: ExitCode, how: RunOptions) -> None:
    if how.json_lines:
        write_event("run-ended", folder=str(folder), exit_code=int(code))
    elif (folder / "manifest.json").is_file():
        print_results(console, folder, catalogue, details=how.details)


def until_of(until: str | None, budget_min: float) -> Until | None:
    """Return how narrow comparisons are to become."""
    if until is None:
        return None
    try:
        return Until(half_width=float(until.removesuffix("%")) / 100, budget_s=budget_min * 60, looks=LOOKS)
    except ValueError as error:
        raise InvalidRequestError(
            f"--until {until} --budget-min {budget_min:g}: write a percentage such as 2%, and minutes"
        ) from error


def fills_s(plan: Plan, until: Until | None) -> float:
    """Return how long the run goes on if its rounds end earlier."""
    settings = plan.settings
    return settings.minutes * 60 if settings.minutes and settings.fills_minutes and until is None else 0.0


def print_results(console: Console, folder: Path, catalogue: Catalogue, *, details: bool) -> None:
    """Print the summary of a run, and its tables."""
    run = read_counted(folder)
    report = make_report(run, catalogue.scenarios, verdicts=verdicts_of(run, catalogue))
    print_chapters(console, summary(report))
    if details:
        console.print()
        print_chapters(console, detailed(report))
    console.print(f"\nresults in {folder}", soft_wrap=True, highlight=False)
    if report.manifest.suite.get("guidance"):
        console.print(f"which claims hold: respmark verdict {folder}", soft_wrap=True, highlight=False)


def print_provisional(console: Console, folder: Path, catalogue: Catalogue, rounds: int, words: str) -> None:
    """Print the answer of so many rounds under these words, without what only a whole run can say."""
    found = answer(make_report(read_counted(folder, rounds=rounds), catalogue.scenarios), words)
    if found[0].tables:
        print_chapters(console, found)


def command_line(words: list[str]) -> list[str]:
    """Return the command line for the manifest, without passwords: reading a URL before has told of the one in it."""
    return [Path(words[0]).name, *(redacted(word) for word in words[1:])]
