"""`respmark clean`: removes what dead runs left in docker."""

from typing import Final

from respmark.console import line_console
from respmark.containers.engine import client, examine
from respmark.containers.ownership import Owner
from respmark.containers.sweep import Found, find, remove
from respmark.errors import ExitCode

EXAMPLES: Final = """
respmark clean
"""
KEPT: Final = {
    Owner.ALIVE: "its run goes on",
    Owner.ELSEWHERE: "it was started by hand, or by a run on another machine",
}


def clean() -> ExitCode:
    """Remove containers, networks and volumes of runs that are dead; of runs that go on, and of others, nothing.

    A run removes its own, also when it is killed; this is for what a crash of the machine or of docker has left.
    """
    docker = client()
    examine(docker)
    console = line_console()
    found = find(docker)
    for one in found:
        if one.state is Owner.DEAD:
            remove(docker, one)
        console.print(said(one))
    if not found:
        console.print("nothing of respmark is in docker but images")
    return ExitCode.OK


def said(found: Found) -> str:
    """Say what was done with one project."""
    if found.state is Owner.DEAD:
        return f"removed {found.project}: {found.words}"
    return f"kept {found.project}: {found.words}: {KEPT[found.state]}"
