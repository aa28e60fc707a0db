"""Writes `docs/differences.md` from what clients' and runners' files say (`differs`): `make differences`.

A test fails when the page and a file disagree.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from respmark.cli.listing import cells
from respmark.contract.lines import Difference
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_row
from respmark.machine.sockets import SocketSettings
from respmark.paths import CHECKOUT
from respmark.specs.catalogue import Catalogue

PAGE: Final = CHECKOUT / "docs" / "differences.md"
SECTION: Final = re.compile(r"^## (?P<library>\S+)\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
HEAD: Final = """# Differences from a plain install

Clients are measured as installed: the library with the packages that its README recommends for everyone (hiredis for
redis-py, libvalkey for valkey-py), in its default configuration. What its documentation leaves to the user, such as
Lettuce's native transport, is off. The tables list every exception, per library: what a trial cannot do without, and
what would measure the machine instead of the client. Anything else that users may set differently is a named option
of the library's `client.toml`, whose first value is the installed one.

`make differences` writes this page from `differs` in `client.toml` and in the language's `runner.toml`, and from
`harness/specs/sockets.json`.
"""
SOCKETS: Final = """## What libraries ask of the kernel

These are defaults like others, and documentation seldom lists them. With TCP_NODELAY off, a small write waits until the
one before it is acknowledged: tasks that share a connection then wait for each other on a network. Without keep-alive,
a client that sends nothing never notices that the other side is gone without a word. With it, the kernel sends a probe
when nothing has come for a while, then others at intervals, and breaks the connection an interval after the last one:
with 3 probes every 5 s after 30 s, after 45 s. A user time-out limits how long what was sent may stay unacknowledged;
without one, the kernel tries again for about 15 minutes.

The table has each library as installed, in `sync`; `harness/bench/sockets.py` reads it from its sockets. What a library
leaves alone is the kernel's: TCP_NODELAY and keep-alive are off, and where a library only turns keep-alive on, Linux
sends 9 probes every 75 s after 7,200 s. Each trial's record has the same of its own connections (`sockets`). It is null
in containers, with unix sockets, where the kernel lets nobody look (Yama's `ptrace_scope` is 2 or 3), and where no
connection is open between the verification and the first slice, as in `new-connection`.

| library | TCP_NODELAY | keep-alive after | probes | every | user time-out |
| --- | --- | ---: | ---: | ---: | ---: |"""


def made(catalogue: Catalogue) -> dict[str, str]:
    """Return the sections that follow from files, by library."""
    return {
        spec.library: section(spec.library, (*spec.differs, *catalogue.runners[spec.runner].differs))
        for spec in catalogue.clients.values()
        if spec.capabilities.is_library
    }


def section(library: str, differences: Iterable[Difference]) -> str:
    """Return a library's section of the page."""
    rows = "".join(f"{markdown_row(map(escaped, cells(one)))}\n" for one in differences)
    head = "| setting | as installed | here | where | why |\n| --- | --- | --- | --- | --- |\n"
    return f"## {library}\n\n{head}{rows}"


def sockets_table(catalogue: Catalogue) -> str:
    """Return what each library asks of the kernel for its connections, as it was measured."""
    named = {
        name: catalogue.sockets.get(name) for name, spec in catalogue.clients.items() if spec.capabilities.is_library
    }
    rows = [
        f"{markdown_row([f'{name} {found.version}', *_settings(one.settings)])}\n"
        for name, found in sorted(named.items())
        if found is not None
        for one in found.sockets
    ]
    lacking = sorted(name for name, found in named.items() if found is None)
    unknown = f"\nNot measured: {', '.join(lacking)}.\n" if lacking else ""
    return f"{SOCKETS}\n{''.join(rows)}{unknown}"


def _settings(asked: SocketSettings) -> Iterator[str]:
    alive, limit_ms = asked.keep_alive, asked.user_timeout_ms
    yield "on" if asked.no_delay else "**off**"
    if alive is None:
        yield from ("**none**", "", "")
    else:
        yield from (f"{alive.idle_s:,} s", f"{alive.probes}", f"{alive.interval_s:,} s")
    yield "none" if limit_ms is None else f"{limit_ms / 1000:g} s"


def sections(page: Path = PAGE) -> dict[str, str]:
    """Return the sections of the existing page, by library."""
    found = SECTION.finditer(page.read_text(encoding="utf-8"))
    return {match["library"]: match[0].rstrip("\n") + "\n" for match in found}


def main() -> None:
    """Write the page."""
    catalogue = Catalogue()
    found = made(catalogue)
    parts = [HEAD, sockets_table(catalogue), *(found[library] for library in sorted(found))]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
