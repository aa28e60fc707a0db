"""`respmark clean`: removes what dead runs left, in docker or on a server."""

from collections.abc import Mapping
from typing import Final

from respmark.cli.options import ServerName
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.console import SafeConsole, line_console
from respmark.containers.engine import client, examine
from respmark.containers.sweep import find, remove
from respmark.contract.trial import Endpoint
from respmark.errors import ExitCode, InvalidRequestError
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.specs.target import TargetSpec, UrlTarget
from respmark.target.control import Control
from respmark.target.own_keys import find as find_keys
from respmark.target.own_keys import remove_under
from respmark.target.url import parse_url

EXAMPLES: Final = """
respmark clean
respmark clean --server redis://10.0.0.5:6379/1
respmark clean --server redis://10.0.0.5:6379/1 --keys respmark:0a1b2c3d:key:
"""
KEPT: Final = "it was started by hand, or by a run on another machine"


def clean(*, target: ServerName = None, password: PasswordOptions = NO_PASSWORD, keys: str | None = None) -> ExitCode:
    """Remove containers, networks and volumes that dead runs left; those of live runs and of anything else stay.

    A run removes its own, even when it is killed; this is for what a crash of the machine or of docker left.

    Args:
        target: A server's name or URL: list the keys that runs left in its database, instead of looking in docker.
        keys: Delete the keys with this prefix, which a finished run left.
    """
    console = line_console()
    if target is None:
        if keys is not None:
            message = "--keys needs --server: the server that has the keys"
            raise InvalidRequestError(message)
        with only_run(lock_path()):  # what a run uses that is still measuring must stay
            _clean_docker(console)
        return ExitCode.OK
    spec = Catalogue().target(target)
    password.take(target, spec)
    with Control(endpoint_of(spec)) as control:
        for line in [_removed(control, keys)] if keys is not None else listed(find_keys(control)):
            console.print(line)
    return ExitCode.OK


def _removed(control: Control, prefix: str) -> str:
    return f"removed {remove_under(control, prefix):,} keys named {prefix}*"


def endpoint_of(spec: TargetSpec) -> Endpoint:
    """Return where a server is that was there before.

    Raises:
        InvalidRequestError: it is one that each run starts anew.
    """
    if not isinstance(spec, UrlTarget):
        message = f"target `{spec.name}` is started for each run and leaves nothing; name a server by its URL"
        raise InvalidRequestError(message)
    return parse_url(spec.url)


def listed(found: Mapping[str, int]) -> list[str]:
    """Say which keys there are, and how to remove them."""
    if not found:
        return ["no keys of runs are in the database"]
    lines = [f"{number:,} keys named {prefix}*" for prefix, number in sorted(found.items())]
    return [*lines, "if that run is over, add `--keys PREFIX` to remove them"]


def _clean_docker(console: SafeConsole) -> None:
    docker = client()
    examine(docker)
    found = find(docker)
    for one in found:
        if one.is_ours:
            remove(docker, one)
        done = f"removed {one.project}: {one.words}" if one.is_ours else f"kept {one.project}: {one.words}: {KEPT}"
        console.print(done)
    if not found:
        console.print("nothing of respmark is in docker but images")
