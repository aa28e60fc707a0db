"""Set-up on another host, from its own checkout or wheel: a function that whoever reaches the host can call there."""

from collections.abc import Collection

from respmark.setup.host import SetupHost
from respmark.setup.prepare import prepare
from respmark.specs.catalogue import Catalogue


def prepare_here(names: Collection[str]) -> list[str]:
    """Set up clients on the host that this is called on; return what it said, a line each."""
    said: list[str] = []
    catalogue = Catalogue()
    prepare(catalogue.named(names), catalogue, SetupHost(say=said.append))
    return said
