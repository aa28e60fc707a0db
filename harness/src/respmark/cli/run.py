"""`respmark run`: measures, and prints the tables."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cyclopts import Parameter

from respmark.cli.options import DEFAULTS, NO_PASSWORD, USUAL_CPUS, Flag, PasswordOptions, PinOptions, PlanOptions
from respmark.errors import ExitCode, InvalidRequestError
from respmark.placement import BackendName

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


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """How long is measured, where results go, and what is told."""

    out: Path | None = None
    """Folder for the results; default: a new one under results/."""
    allow_flush: Flag = False
    """Empty the target's database even if it holds keys that respmark did not write."""
    until: str | None = None
    """Measure until every comparison is known to this, such as `2%`, or until the budget is spent."""
    budget_min: float = 60.0
    """For `--until`: the longest that the extra rounds may take, in minutes."""
    resume: Path | None = None
    """Continue the interrupted run in this folder: finished trials are kept, order and seed stay. Other options must
    be those it was started with."""
    details: Flag = False
    """Also print the tables of every client and shape."""
    quiet: Flag = False
    """Print no progress, only the summary."""
    json_lines: Flag = False
    """Print progress as one JSON object per line, for programs, and no summary."""

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.resume is not None and (self.out is not None or self.until is not None):
            raise InvalidRequestError("--resume goes on with a run as it was begun: leave --out and --until out")
        if self.quiet and self.json_lines:
            raise InvalidRequestError(
                "--quiet and --json-lines: choose one; the lines are the progress that --quiet leaves out"
            )


AS_USUAL: Final = RunOptions()


def run(
    suite: str = "quick",
    /,
    *,
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    via: BackendName = BackendName.LOCAL,
    pins: PinOptions = USUAL_CPUS,
    how: RunOptions = AS_USUAL,
) -> ExitCode:
    """Measure a suite, check every figure against the server's counters, and print the fastest clients.

    Args:
        suite: A suite's name (`smoke`, `quick`, `full`) or a .toml file.
        via: `local`: runners are processes here. `docker`: each is a container, and so is the target.
    """
    how.check()
    from respmark.cli.measure import measure  # noqa: PLC0415 - takes long to load, and `--help` needs none of it

    request = options.request(suite)
    return measure(request, server=options.target, password=password, via=via, pins=pins, how=how)
