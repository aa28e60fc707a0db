"""`respmark list --versions`: what registries have."""

from rich.console import Console
from rich.table import Column

from respmark.cli.options import tell
from respmark.console import grid
from respmark.setup.host import SetupHost
from respmark.setup.registry import tried, versions_of
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.versions import in_order, is_before


def print_versions(console: Console, spec: ClientSpec, libraries: Catalogue) -> None:
    """Print every version from the newest to the oldest that can be measured, and what was tried here."""
    if not spec.version:
        console.print(f" no version of {spec.library} can be chosen: it does not come from a registry", soft_wrap=True)
        return
    host = SetupHost(say=tell)
    listed = versions_of(spec, libraries.runners[spec.runner], host)
    here = tried(spec, host)
    table = grid(Column(spec.library, no_wrap=True), "here")
    for version in reversed(in_order({*listed.versions, *here}, spec.version_order)):
        if not (spec.since and is_before(version, spec.since, spec.version_order)):
            table.add_row(version, here.get(version, ""))
    console.print(table)
    if listed.doubt:
        console.print(f" {listed.doubt}", soft_wrap=True)
