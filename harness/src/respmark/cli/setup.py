"""`respmark setup` and `clean`; `run` and its like set up what they measure, and remove what they started."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark.cli.options import PasswordOptions, clients_named, tell
from respmark.console import line_console
from respmark.errors import ExitCode, InvalidRequestError
from respmark.machine.lock import check_free, lock_path, only_run
from respmark.servers.cluster import connected
from respmark.servers.own_keys import find, remove_under
from respmark.servers.url import parse_url
from respmark.setup.host import SetupHost
from respmark.setup.prepare import Prepared, prepare, prepare_server, required
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import make_client
from respmark.specs.server import ServerSpec, UrlServer

EXAMPLES: Final = {
    "setup": """
respmark setup
respmark setup python 'node-redis@*'
respmark setup redis-py@4.5.5 redis-py@file:../fork
respmark setup --for test
respmark setup node-redis --lock
""",
    "clean": """
respmark clean
respmark clean --server redis://10.0.0.5:6379/1
respmark clean --server redis://10.0.0.5:6379/1 --keys respmark:0a1b2c3d:key:
""",
}
Purpose = Literal["bench", "test", "lint", "micro"]
EXTRA: Final[dict[Purpose, tuple[str, ...]]] = {
    "bench": (),
    "test": ("dev", "micro"),
    "lint": ("dev", "micro"),  # .NET's knows a file's names only where its project is built
    "micro": ("micro",),
}
"""What is set up besides runners and clients."""


def setup(*names: str, purpose: Annotated[Purpose, Parameter(name="--for")] = "bench", lock: bool = False) -> ExitCode:
    """Install and build what is missing or has changed (server, runners, clients), and list what is missing and why.

    Args:
        names: Languages, clients in any version (`redis-py@4.5.5`, `redis-py@file:../fork`), or servers (`redis@6.2`);
            default: every language, for `test` and `lint` C as well.
        purpose: `bench`: what is measured. `test`, `lint`, `micro`: also what tests, linters, micro-benchmarks need.
        lock: Write the pins of the clients that are named into their folders first.
    """
    libraries, host = Catalogue(), SetupHost(say=tell)
    if names:
        servers = [name for name in names if name in libraries.names("servers")]
        are_here = [prepare_server(libraries.server(name), host) for name in servers]
        clients = _clients([name for name in names if name not in servers or name in libraries.clients], libraries)
        missing = prepare(clients, libraries, host, EXTRA[purpose], again=True, lock=lock).missing
        return ExitCode.OK if all(are_here) and not any(missing.values()) else ExitCode.SOME_FAILED
    needed = required(host, libraries)
    lacking = set_up_everything(libraries, host, purpose).lacking(needed)
    for name, why in lacking.items():
        tell(f"{name} is required by RESPMARK_REQUIRE: {why}")
    return ExitCode.SOME_FAILED if lacking else ExitCode.OK


def set_up_everything(libraries: Catalogue, host: SetupHost, purpose: Purpose) -> Prepared:
    """Set up a server, all languages, and all clients in their pinned versions.

    Of references: those that RESPMARK_REQUIRE names; for tests, all of which conformance can be shown.
    """
    prepare_server(libraries.server(USUAL_SERVER), host)
    names = [*libraries.languages, *(name.partition("@")[0] for name in required(host, libraries))]
    if "dev" in EXTRA[purpose]:
        names += [name for name, runner in libraries.runners.items() if runner.capabilities.replies]
    return prepare(_clients(dict.fromkeys(names), libraries), libraries, host, EXTRA[purpose])


def _clients(names: Collection[str], libraries: Catalogue) -> list[Client]:
    """Return the clients with these names, and all pinned versions of those of languages."""
    named = clients_named([name for name in names if name not in libraries.runners], libraries)
    of_languages = [spec for spec in libraries.every_client.values() if spec.runner in names]
    return [*named, *(make_client(spec, version, {}) for spec in of_languages for version in (None, *spec.pinned))]


def set_up(
    clients: Collection[Client],
    libraries: Catalogue,
    servers: Iterable[ServerSpec] = (),
) -> Prepared:
    """Set up what processes here are to measure, and a server if there is none.

    Raises NothingRanError if another run is measuring: what set-up computes would distort its figures.
    """
    check_free(lock_path())
    host = SetupHost(say=tell)
    for server in servers:
        prepare_server(server, host)
    return prepare(clients, libraries, host)


def clean(
    *, server: str | None = None, password: PasswordOptions = PasswordOptions(), keys: str | None = None
) -> ExitCode:
    """Remove containers, networks and volumes left by runs that were killed.

    A run removes its own, even when it is killed; this is for what a crash of the machine or of docker left.

    Args:
        server: A server's name or URL: list the keys that runs left in its database, instead of looking in docker.
        keys: Delete the keys with this prefix, which a finished run left.
    """
    if server is None and keys is not None:
        raise InvalidRequestError("--keys needs --server: the server that has the keys")
    console = line_console()
    for line in _cleaned_docker() if server is None else _cleaned_server(server, password, keys):
        console.print(line)
    return ExitCode.OK


def _cleaned_docker() -> Iterator[str]:
    from respmark.runners import docker_engine as engine  # noqa: PLC0415 - takes long to load, and only this needs it

    docker = engine.client()
    engine.examine(docker)
    with only_run(lock_path()):  # what a run uses that is still measuring must stay
        found = engine.find_projects(docker)
        for one in found:
            if one.is_ours:
                engine.remove_project(docker, one)
                yield f"removed {one.project}: {one.words}"
            else:
                yield f"kept {one.project}: {one.words}: it was started by hand or by a run on another machine"
    if not found:
        yield "Docker has nothing of respmark left except images"


def _cleaned_server(server: str, password: PasswordOptions, keys: str | None) -> Iterator[str]:
    spec = Catalogue().server(server)
    password.take([server], [spec])
    if not isinstance(spec, UrlServer):
        raise InvalidRequestError(
            f"server `{spec.name}` is started for each run and keeps no data; name a server by its URL"
        )
    with closing(connected(parse_url(spec.url))) as control:
        if keys is not None:
            yield f"removed {remove_under(control, keys):,} keys named {keys}*"
            return
        found = find(control)
        yield from (f"{number:,} keys named {prefix}*" for prefix, number in sorted(found.items()))
        yield (
            "if that run is over, add `--keys PREFIX` to remove them" if found else "the database holds no keys of runs"
        )
