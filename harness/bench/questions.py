"""Time to an answer: five questions of users, each asked as they would ask it, with `--until`.

    .build/harness/bin/python harness/bench/questions.py --until 3%              # 14 minutes at most
    .build/harness/bin/python harness/bench/questions.py --until 3% --minutes 10 # 50 minutes at most

Prints a Markdown table; each question is a run like any other in a folder of its own.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cyclopts

from respmark.cli.options import tell
from respmark.console import write_out
from respmark.errors import ExitCode
from respmark.figures.cells import read_figures
from respmark.figures.precision import half_widths
from respmark.kinds.loops.tables import LOOPS

QUESTIONS: Final = {
    "redis-py and its 3.5.3, sync": (
        *("--client", "redis-py", "--client", "redis-py@3.5.3"),
        *("--scenario", "sync"),
    ),
    "Jedis and Lettuce, pool": ("--client", "jedis", "--client", "lettuce", "--scenario", "pool"),
    "node-redis with and without its timer, pipelining": (
        *("--client", "node-redis", "--client", "node-redis[command-timeout=off]"),
        *("--scenario", "pipelining"),
    ),
    "phpredis and predis, batching": ("--client", "phpredis", "--client", "predis", "--scenario", "batching"),
    "Redis 6.2 and Valkey 9.1, Jedis, sync": (
        *("--client", "jedis", "--scenario", "sync"),
        *("--server", "redis@6.2", "--server", "valkey@9.1"),
    ),
}


@dataclass(frozen=True)
class Answer:
    """How long an answer took, and how precise it is."""

    seconds: float
    """From the command's start to its end."""
    rounds: int
    measured_share: float
    """Share of the run's time that slices took which count."""
    half_width: float
    """The widest of the intervals of RPS and client CPU per command."""


def ask(words: tuple[str, ...], until: str, minutes: float, out: Path) -> Answer | None:
    """Ask one question; return None if it has no answer."""
    command = [sys.executable, "-m", "respmark", "run", *words, "--until", until, "--minutes", f"{minutes:g}"]
    began_s = time.monotonic()
    code = subprocess.run([*command, "--quiet", "--out", str(out)], check=False, stdout=sys.stderr).returncode  # noqa: S603 - our own
    seconds = time.monotonic() - began_s
    if code not in {ExitCode.OK, ExitCode.SOME_FAILED}:
        return None
    run = read_figures(out, LOOPS)
    widths = half_widths(run)
    rounds = max((trial.round for trial in run.trials), default=0)
    share = (run.manifest.measured_s or 0.0) / max(1e-9, run.manifest.wall_s or seconds)
    return Answer(seconds, rounds, share, max(widths.values(), default=float("inf")))


def lines(answers: dict[str, Answer | None], until: str) -> Iterator[str]:
    """Yield the table."""
    yield f"| question | seconds to ±{until} | rounds | measured | widest interval |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    wanted = float(until.removesuffix("%")) / 100
    for question, one in answers.items():
        if one is None:
            yield f"| {question} | no answer | | | |"
            continue
        took = f"{one.seconds:.0f}" if one.half_width <= wanted else f"not reached in {one.seconds:.0f}"
        yield f"| {question} | {took} | {one.rounds} | {one.measured_share:.0%} | ±{one.half_width:.1%} |"


def questions(*, until: str = "3%", minutes: float = 2.8, only: tuple[int, ...] = (), out: Path | None = None) -> None:
    """Ask the five questions, one after the other: at most 14 minutes, without the installation of what they need.

    Args:
        until: How narrow intervals are to become.
        minutes: How long each question may take.
        only: Numbers of questions, from 1; default: all.
        out: Folder for the runs' folders; default: a temporary one that is deleted.
    """
    with tempfile.TemporaryDirectory(prefix="respmark-questions-") as temporary:
        answers: dict[str, Answer | None] = {}
        for number, (question, words) in enumerate(QUESTIONS.items(), start=1):
            if not only or number in only:
                tell(f"{number}: {question}")
                answers[question] = ask(words, until, minutes, (out or Path(temporary)) / str(number))
    write_out("".join(f"{line}\n" for line in lines(answers, until)))


if __name__ == "__main__":
    cyclopts.run(questions)
