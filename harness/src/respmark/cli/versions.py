"""`respmark versions`: a library's releases on one scale."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark.cli.measure import print_plan
from respmark.cli.options import PasswordOptions, PinOptions, PlanOptions, RunOptions, tell
from respmark.cli.via import Via
from respmark.errors import ExitCode, InvalidRequestError
from respmark.plan.make import make_plan
from respmark.plan.plan import Plan
from respmark.releases.pick import Every, pick
from respmark.results.store import read_manifest
from respmark.setup.host import SetupHost
from respmark.setup.prepare import Prepared
from respmark.specs.catalogue import Catalogue
from respmark.specs.versions import LATEST

EXAMPLES: Final = {
    "versions": """
respmark versions redis-py --from 3.5 --scenario sync --plan
respmark versions redis-py --from 3.5 --scenario sync
respmark versions redis-py --from 4.6.0 --to 5.0 --every release --scenario sync --until 3%
respmark versions node-redis --from 3 --to 6 --scenario batching --depth 100
respmark versions predis --scenario new-connection --rtt 1ms --out results/predis-connections
respmark chart results/predis-connections releases --out releases.svg
"""
}


def versions(
    client: str,
    /,
    *,
    first: Annotated[str, Parameter(name="--from")] = "",
    last: Annotated[str, Parameter(name="--to")] = LATEST,
    every: Every = Every.MINOR,
    control: Literal["first", "newest"] = "first",
    suite: str = "versions",
    plan: Annotated[bool, Parameter(negative=())] = False,
    options: PlanOptions = PlanOptions(),
    password: PasswordOptions = PasswordOptions(),
    via: Via = Via(),
    pins: PinOptions = PinOptions(),
    how: RunOptions = RunOptions(),
) -> ExitCode:
    """Measure a library's releases in turns, on one scale, and name those in which throughput or CPU changed.

    A release that cannot be installed or run keeps its row, with the reason.

    Args:
        client: A library, or one configuration of it: `redis-py`, `redis-py[parser=python]`.
        first: The oldest release: a version, or how it begins (`3.5`: the oldest 3.5); default: the oldest that the
            adapters know.
        last: The newest release: a version, how it begins (`6`: the newest 6), or `latest`.
        every: `minor`: the newest release of each minor version. `release`: all of them.
        control: The release that is in every block, and that the others are compared with: the first or the newest of
            those that can be installed.
        suite: The suite whose workload, rounds, laps and, without --scenario, trials are measured.
        plan: Print the releases, their blocks and how long that takes; start nothing.
    """
    how.check()
    if options.client:
        raise InvalidRequestError("respmark versions measures the releases of one client: leave out --client")
    catalogue = Catalogue()
    if how.resume is not None:
        names, shared = _resumed(how.resume)
    else:
        names, shared = _releases(client, catalogue, first, last, every), ""
    asked = replace(options, client=tuple(names)).request(catalogue, suite, brings_server=via.is_docker)
    made = make_plan(replace(asked, control=shared or names[0]), catalogue)
    from respmark.cli.under_way import measure, within  # noqa: PLC0415 - takes long to load, and `--help` needs none of it

    if plan:
        print_plan(within(made, how.minutes), catalogue, via, pins)
        return ExitCode.OK
    specs = [catalogue.server(one) for one in made.settings.servers.values()]
    prepared = via.set_up(made.clients, specs, catalogue)
    shared = shared or _control(made, prepared, newest=control == "newest")
    return measure(
        replace(asked, control=shared),
        catalogue,
        servers=options.server,
        password=password,
        via=via,
        pins=pins,
        how=how,
        prepared=prepared,
    )


def _releases(client: str, catalogue: Catalogue, first: str, last: str, every: Every) -> Sequence[str]:
    """Return the releases that were asked for; raises InvalidRequestError if there are not two to compare."""
    found = pick(client, catalogue, SetupHost(say=tell), first=first, last=last, every=every)
    if found.doubt:
        tell(found.doubt)
    if len(found.clients) < 2:  # noqa: PLR2004 - a comparison needs two
        raise InvalidRequestError(
            f"only {found.clients[0]} was asked for: name an older --from, or every release with --every release"
        )
    return found.clients


def _resumed(folder: Path) -> tuple[Sequence[str], str]:
    """Return the releases of a run that is continued, and its control: the registry may have others by now."""
    manifest = read_manifest(folder)
    if manifest.control is None:
        raise InvalidRequestError(f"{folder} is no series of releases: continue it with `respmark run --resume`")
    return manifest.named_clients, manifest.control


def _control(made: Plan, prepared: Prepared, *, newest: bool) -> str:
    """Return the first or the newest release that is set up; if none is, the first or the newest of all."""
    clients = {client.name: client for client in made.clients}
    order = [clients[name] for name in (reversed(made.named) if newest else made.named)]
    there = [one for one in order if not prepared.missing.get(f"{one.runner}@{one.installation}")]
    return (there or order)[0].name
