"""`respmark run`: measures, and prints the tables."""

from typing import Final

from respmark.cli.options import (
    AS_USUAL,
    DEFAULTS,
    NO_PASSWORD,
    USUAL_CPUS,
    PasswordOptions,
    PinOptions,
    PlanOptions,
    RunOptions,
)
from respmark.errors import ExitCode
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
    return measure(request, servers=options.target, password=password, via=via, pins=pins, how=how)
