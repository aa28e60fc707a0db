"""A search of `respmark bisect`: from its words to the text for an issue."""

import math
import shlex
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from rich.console import Console

from respmark import __version__, kinds, paths
from respmark.bisect.search import Question, SearchResult, VersionSeries, VersionStep, find_steps
from respmark.bisect.words import Confirmed, Searched, answer_lines, explanation, issue_text, question_line
from respmark.cli.candidates import Candidates
from respmark.cli.options import PinOptions, RunOptions, tell
from respmark.cli.questions import CONFIRMING, Questions, series_of
from respmark.cli.under_way import command_without, resuming, write_event
from respmark.cli.via import Via
from respmark.console import report_console
from respmark.errors import ExitCode, InvalidRequestError, NothingRanError
from respmark.figures.kind import FigureKind
from respmark.files import write_out_file
from respmark.machine.placement import UNPINNED
from respmark.numbers import duration
from respmark.plan.estimate import estimate_s
from respmark.plan.plan import Plan
from respmark.plan.request import Request, option
from respmark.redaction import redacted
from respmark.report.header import machine_line
from respmark.report.labels import joined
from respmark.results.manifest import Manifest
from respmark.results.store import make_folder, read_manifest, write_model
from respmark.specs.catalogue import Catalogue

MINUTES: Final = 60.0
"""How long a search may take if the user does not say."""
SHARE_OF_QUESTIONS: Final = 0.8
"""Of that time; the rest is kept for the rounds that say by how much the versions of a step differ."""


def search(
    candidates: Candidates,
    request: Request,
    kind: FigureKind,
    metric: str,
    at_least: float,
    *,
    catalogue: Catalogue,
    via: Via,
    pins: PinOptions,
    how: RunOptions,
) -> ExitCode:
    """Search, print what is found as it is found, and write it into the search's folder."""
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-bisect-{candidates.library}"
    folder, console = how.resume or how.out or paths.results() / name, report_console()
    began_s, limit_s = time.monotonic(), _minutes(how) * 60
    asked_until_s = began_s + SHARE_OF_QUESTIONS * limit_s
    questions = Questions(folder, asked_until_s, candidates, request, kind, metric, catalogue, via, pins, how, console)
    if how.resume is None:
        make_folder(folder)
    first, *_, last = (candidates.names.get(one, one) for one in candidates.versions)
    _say(console, how, f"{candidates.library}, {len(candidates.versions)} versions from {first} to {last}")
    try:
        series = _series(questions, how, limit_s)
        found = find_steps(candidates.versions, questions, at_least, lambda one: _tell(console, how, one), series)
        questions.end_s = began_s + limit_s
        steps = [
            questions.confirmed(number, step, lambda one: _reproduce(questions, one))
            for number, step in enumerate(found.steps, start=1)
        ]
    except KeyboardInterrupt:
        tell(f"what has ended is kept; to continue: {resuming(sys.argv, folder)}")
        raise
    searched = _searched(questions, found, steps)
    write_model(folder / "bisect.json", searched)
    for number, one in enumerate(steps, start=1):
        write_out_file(folder / f"issue-{number}.md", issue_text(searched, one, kind).encode())
    _print(console, how, questions, searched)
    return ExitCode.OK


def _series(questions: Questions, how: RunOptions, limit_s: float) -> VersionSeries | None:
    """Say about how long the search takes, and measure the series that it begins with; None of few versions."""
    at_most = f"at most {duration(limit_s)} in all (--minutes)"
    named = series_of(questions.candidates)
    if not named:
        first, *_, last = questions.candidates.versions
        two, reasons = questions.clients((first, last))
        if reasons:
            raise NothingRanError("; ".join(f"{end} cannot be measured: {why}" for end, why in reasons.items()))
        question_s = _takes_s(questions, questions.question_plan(two.values()))
        each = f"about {duration(question_s)} or longer for each question"
        _say(questions.console, how, f"{each}; {at_most}; installing versions is not counted")
        return None
    clients, reasons = questions.clients(named)
    if missing := [end for end in (named[0], named[-1]) if end in reasons]:
        raise NothingRanError(f"{missing[0]} cannot be measured: {reasons[missing[0]]}")
    series_s, step_s = (
        _takes_s(questions, plan)
        for plan in (questions.series_plan(clients.values()), questions.step_plan(clients.values()))
    )
    _say(
        questions.console,
        how,
        f"first {len(clients)} of them in turns, about {duration(series_s)}; then about {duration(step_s)} for each "
        f"step that they suggest; {at_most}; installing versions is not counted",
    )
    return questions.in_series(clients, reasons)


def _takes_s(questions: Questions, plan: Plan) -> float:
    return estimate_s(plan, questions.catalogue.runners, kinds.block_estimate_s)


def _minutes(how: RunOptions) -> float:
    minutes = MINUTES if how.minutes is None else how.minutes
    if not 0 < minutes < math.inf:
        raise InvalidRequestError("--minutes must be more than 0, and finite")
    return minutes


def _reproduce(questions: Questions, step: VersionStep) -> str:
    """Return the command that measures a step's two versions as the search measured them."""
    request, cell = questions.request, questions.cell
    words = [*questions.candidates.reproduce(step.older, step.newer)]
    if cell is not None:
        words += ["--scenario", str(cell.scenario)]
        for name, value in cell.shape.model_dump(mode="json", exclude_defaults=True).items():
            words += [f"--{option(name)}", f"{value}ms" if name == "rtt_ms" else str(value)]
    for given, values in (("--workload", request.workloads), ("--server", request.servers)):
        words += [word for value in values for word in (given, redacted(value))]
    return shlex.join([*words, "--rounds", str(CONFIRMING)] if words[1] == "run" else words)


def _searched(questions: Questions, found: SearchResult, steps: Sequence[Confirmed]) -> Searched:
    cell, names = questions.cell, questions.candidates.names
    manifests = sorted(questions.folder.glob("*/manifest.json"))
    shown = {
        *(found.versions[0], found.versions[-1], *found.unmeasurable),
        *(version for one in found.steps for version in (one.older, one.newer)),
        *(version for one in found.rests for version in (one.difference.older, one.difference.newer)),
    }
    return Searched(
        respmark_version=__version__,
        command_line=command_without(sys.argv, "--out", "--resume"),
        library=questions.candidates.library,
        use="" if cell is None else joined(cell.scenario, cell.shape.label),
        metric=questions.metric,
        found=found,
        steps=tuple(steps),
        names={version: name for version, name in names.items() if version in shown},
        setting=_setting(read_manifest(manifests[0].parent)) if manifests else (),
    )


def _setting(manifest: Manifest) -> tuple[str, ...]:
    """Return where it was measured, a line each: machine, servers, workloads, CPUs."""
    return (
        machine_line(manifest.machine),
        *(f"server {one.version}" for one in manifest.servers.values()),
        *(f"workload {name}: {one.spec['summary']}" for name, one in manifest.workloads.items()),
        *([f"CPUs: {manifest.placement.words}"] if manifest.placement != UNPINNED else []),
    )


def _print(console: Console, how: RunOptions, questions: Questions, searched: Searched) -> None:
    if how.json_lines:
        steps = [one.model_dump(mode="json") for one in searched.steps]
        write_event("search-ended", folder=str(questions.folder), steps=steps)
        return
    console.print(
        "\n".join(["", *answer_lines(searched, questions.kind), "", explanation(searched, questions.kind)]),
        soft_wrap=True,
    )
    for number, one in enumerate(searched.steps, start=1):
        console.print(f"\ntext for an issue ({questions.folder / f'issue-{number}.md'}):\n", soft_wrap=True)
        console.print(issue_text(searched, one, questions.kind), soft_wrap=True)
    console.print(f"results in {questions.folder}: bisect.json, and a run for each question", soft_wrap=True)


def _tell(console: Console, how: RunOptions, question: Question) -> None:
    if how.json_lines:
        write_event("question-answered", **question.model_dump(mode="json"))
    else:
        _say(console, how, question_line(question))


def _say(console: Console, how: RunOptions, text: str) -> None:
    if not (how.quiet or how.json_lines):
        console.print(text, soft_wrap=True)
