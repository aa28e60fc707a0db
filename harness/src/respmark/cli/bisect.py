"""`respmark bisect`: which release, or which commit, made a client slower."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Final

from respmark.cli.options import PasswordOptions, PinOptions, PlanOptions, RunOptions, tell
from respmark.cli.via import Via
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, InvalidRequestError

EXAMPLES: Final = {
    "bisect": """
respmark bisect redis-py@4.6.0 redis-py@8.1.0
respmark bisect redis-py@4.6.0 redis-py --scenario sync --metric client-cpu --at-least 10%
respmark bisect node-redis@4.0.6 node-redis@6.3.0 --scenario batching --depth 100
respmark bisect 'redis-py@4.6.0[parser=python]' 'redis-py@8.1.0[parser=python]' --minutes 20
respmark bisect redis-py@7.1.0 redis-py@8.1.0 --fault half-open
respmark bisect redis-py --git ../redis-py v5.0.0 main
respmark bisect redis-py@file:../before redis-py@file:../after
""",
}


def bisect(
    *names: str,
    git: Path | None = None,
    metric: str | None = None,
    at_least: str | None = None,
    suite: str | None = None,
    options: PlanOptions = PlanOptions(),
    password: PasswordOptions = PasswordOptions(),
    via: Via = Via(),
    pins: PinOptions = PinOptions(),
    how: RunOptions = RunOptions(),
) -> ExitCode:
    """Find the releases, or the commits, in which a client became slower or faster, and write a text for an issue.

    Args:
        names: The two ends, such as `redis-py@4.6.0 redis-py@8.1.0`; with --git, the library and two commits.
        git: A checkout of the library: search its commits, which are built in clones of it.
        metric: What is compared: `rps` (throughput), `client-cpu` (per command), or another figure, as in `compare`;
            default: `rps`, of cold starts `start`, under a fault `longest-wait`.
        at_least: The smallest difference of interest; default: 5%, under a fault 50%. A smaller one takes longer: half
            of it four times as long.
        suite: Where workload, and shapes that are not named, come from; default: `quick`, with --fault `faults`.
    """
    how.check()
    _check(options, how)
    from respmark.cli.candidates import candidates_of  # noqa: PLC0415 - takes long to load, and help needs none of it
    from respmark.cli.searching import search  # noqa: PLC0415 - takes long to load
    from respmark.kinds.reading import metric_named  # noqa: PLC0415 - takes long to load
    from respmark.setup.host import SetupHost  # noqa: PLC0415 - takes long to load
    from respmark.specs.catalogue import Catalogue  # noqa: PLC0415 - takes long to load

    libraries = Catalogue()
    of_fault = Scenario.FAULTS in options.scenario or bool(dict(options.shape.axes).get("fault"))
    suite = suite or ("faults" if of_fault else "quick")
    request = options.request(libraries, suite, brings_server=via.is_docker)
    request = replace(request, scenarios=request.scenarios or (Scenario.FAULTS if of_fault else Scenario.SYNC,))
    kind, key = metric_named(metric, request.scenarios)
    wanted = kind.least if at_least is None else _share(at_least)
    password.take(options.server, [libraries.server(name) for name in options.server])
    candidates = candidates_of(names, git, suite, libraries, SetupHost(say=tell))
    return search(candidates, request, kind, key, wanted, catalogue=libraries, via=via, pins=pins, how=how)


def _check(options: PlanOptions, how: RunOptions) -> None:
    """Refuse options that a search decides about itself."""
    given = {
        "--client": options.client,
        "--claim": options.claim,
        "--rounds": options.rounds,
        "--until": how.until,
        "--details": how.details,
    }
    if of_search := ", ".join(name for name, value in given.items() if value):
        raise InvalidRequestError(f"{of_search}: bisect decides itself what it measures, how often, and what it prints")


def _share(text: str) -> float:
    """Return a percentage as a share."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError as error:
        raise InvalidRequestError(f"--at-least {text}: write a percentage, such as 5%") from error
    if not 0 < share < math.inf:
        raise InvalidRequestError(f"--at-least {text}: write a percentage above 0%")
    return share
