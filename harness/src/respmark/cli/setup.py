"""`respmark setup`: sets up what is missing or has changed; `run` and its like set up what they measure."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import tell
from respmark.errors import ExitCode, InvalidRequestError
from respmark.placement import BackendName
from respmark.setup.machine import Machine
from respmark.setup.prepare import Prepared, prepare, prepare_server, required
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import find_clients, make_client
from respmark.specs.target import TargetSpec

EXAMPLES: Final = """
respmark setup
respmark setup python 'node-redis@*'
respmark setup redis-py@4.5.5 redis-py@file:../fork
respmark setup --for test
"""


class Purpose(StrEnum):
    """What is set up besides runners and clients."""

    BENCH = "bench"
    TEST = "test"
    LINT = "lint"
    MICRO = "micro"


EXTRA: Final = {
    Purpose.BENCH: (),
    Purpose.TEST: ("dev", "micro"),
    Purpose.LINT: ("dev", "micro"),  # .NET's knows a file's names only where its project is built
    Purpose.MICRO: ("micro",),
}


def setup(*names: str, purpose: Annotated[Purpose, Parameter(name="--for")] = Purpose.BENCH) -> ExitCode:
    """Install and build what is missing or has changed (server, runners, clients), and say what cannot be had.

    Args:
        names: Languages, clients in any version (`redis-py@4.5.5`, `redis-py@file:../fork`), or servers (`redis@6.2`);
            default: everything.
        purpose: `bench`: what is measured. `test`, `lint`, `micro`: also what tests, linters, micro-benchmarks need.
    """
    libraries, machine = Catalogue(), Machine(say=tell)
    if names:
        catalogue = Catalogue()
        servers = [name for name in names if name in catalogue.names("targets")]
        are_here = [prepare_server(catalogue.target(name), machine) for name in servers]
        clients = [client for name in names if name not in servers for client in _clients(name, libraries)]
        missing = prepare(clients, libraries, machine, EXTRA[purpose]).missing
        return ExitCode.OK if all(are_here) and not any(missing.values()) else ExitCode.SOME_FAILED
    needed = required(machine, libraries)
    lacking = set_up_everything(libraries, machine, purpose).lacking(needed)
    for name, why in lacking.items():
        tell(f"{name} is required by RESPMARK_REQUIRE: {why}")
    return ExitCode.SOME_FAILED if lacking else ExitCode.OK


def set_up_everything(libraries: Catalogue, machine: Machine, purpose: Purpose) -> Prepared:
    """Set up a server, all languages, and all clients in their pinned versions."""
    prepare_server(Catalogue().target(USUAL_SERVER), machine)
    clients = [client for name in libraries.runners for client in _clients(name, libraries)]
    return prepare(clients, libraries, machine, EXTRA[purpose])


def _clients(name: str, libraries: Catalogue) -> list[Client]:
    if name not in libraries.runners:
        return find_clients(name, libraries.clients)
    own = [spec for spec in libraries.every_client.values() if spec.runner == name]
    return [make_client(spec, version, {}) for spec in own for version in (None, *spec.pinned)]


def set_up(
    clients: Collection[Client],
    libraries: Catalogue,
    via: BackendName = BackendName.LOCAL,
    servers: Iterable[TargetSpec] = (),
) -> Prepared:
    """Set up what processes here are to measure, and a server if there is none; refuse containers of other versions."""
    if via is BackendName.LOCAL:
        machine = Machine(say=tell)
        for server in servers:
            prepare_server(server, machine)
        return prepare(clients, libraries, machine)
    for client in clients:
        if client.version is not None and client.version not in libraries.spec_of(client).pinned:
            raise InvalidRequestError(
                f"{client.name}: containers have pinned versions only, which are built into their images "
                f"({client.library}@* lists them); leave --via docker out to measure any version"
            )
    return Prepared()
