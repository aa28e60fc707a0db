"""`respmark clean`: removes what dead runs left, in docker or on a server."""

from collections.abc import Iterator, Mapping
from typing import Final

from respmark.cli.options import NO_PASSWORD, PasswordOptions, ServerName
from respmark.console import line_console
from respmark.containers.engine import client, examine, find_projects, remove_project
from respmark.contract.trial import Endpoint
from respmark.errors import ExitCode, InvalidRequestError
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import TargetSpec, UrlTarget
from respmark.target.control import Control
from respmark.target.own_keys import find, remove_under
from respmark.target.url import parse_url

EXAMPLES: Final = """
respmark clean
respmark clean --server redis://10.0.0.5:6379/1
respmark clean --server redis://10.0.0.5:6379/1 --keys respmark:0a1b2c3d:key:
"""
KEPT: Final = "it was started by hand, or by a run on another machine"


def clean(*, target: ServerName = None, password: PasswordOptions = NO_PASSWORD, keys: str | None = None) -> ExitCode:
    """Remove containers, networks and volumes that dead runs left; all others stay.

    A run removes its own, even when it is killed; this is for what a crash of the machine or of docker left.

    Args:
        target: A server's name or URL: list the keys that runs left in its database, instead of looking in docker.
        keys: Delete the keys with this prefix, which a finished run left.
    """
    if target is None and keys is not None:
        raise InvalidRequestError("--keys needs --server: the server that has the keys")
    console = line_console()
    for line in _cleaned_docker() if target is None else _cleaned_server(target, password, keys):
        console.print(line)
    return ExitCode.OK


def _cleaned_server(target: str, password: PasswordOptions, keys: str | None) -> Iterator[str]:
    spec = Catalogue().target(target)
    password.take(target, spec)
    with Control(endpoint_of(spec)) as control:
        if keys is not None:
            yield f"removed {remove_under(control, keys):,} keys named {keys}*"
        else:
            yield from listed(find(control))


def endpoint_of(spec: TargetSpec) -> Endpoint:
    """Return where a server is that was there before."""
    if not isinstance(spec, UrlTarget):
        raise InvalidRequestError(
            f"target `{spec.name}` is started for each run and leaves nothing; name a server by its URL"
        )
    return parse_url(spec.url)


def listed(found: Mapping[str, int]) -> list[str]:
    """Say which keys there are, and how to remove them."""
    if not found:
        return ["no keys of runs are in the database"]
    lines = [f"{number:,} keys named {prefix}*" for prefix, number in sorted(found.items())]
    return [*lines, "if that run is over, add `--keys PREFIX` to remove them"]


def _cleaned_docker() -> Iterator[str]:
    docker = client()
    examine(docker)
    with only_run(lock_path()):  # what a run uses that is still measuring must stay
        found = find_projects(docker)
        for one in found:
            if one.is_ours:
                remove_project(docker, one)
            yield f"removed {one.project}: {one.words}" if one.is_ours else f"kept {one.project}: {one.words}: {KEPT}"
    if not found:
        yield "nothing of respmark is in docker but images"
