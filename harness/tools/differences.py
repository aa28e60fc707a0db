"""Writes `docs/differences.md` from what clients' and runners' files say: `make differences`.

A test fails when the page and a file disagree.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from respmark.cli.listing import cells
from respmark.contract.lines import Difference
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_row
from respmark.machine.sockets import SocketSettings
from respmark.paths import CHECKOUT
from respmark.specs.catalogue import Catalogue

PAGE: Final = CHECKOUT / "docs" / "differences.md"
HEAD: Final = """# Differences from a plain install

Clients are measured as installed: the library with the packages that its README recommends for everyone (hiredis for
redis-py, libvalkey for valkey-py), in its default configuration. What its documentation leaves to the user, such as
Lettuce's native transport, is off. The tables list every exception, per library: what a trial cannot do without, and
what would measure the machine instead of the client. Anything else that users may set differently is a named option
of the library's `client.toml`, whose first value is the installed one.

`make differences` writes this page from `differs` and `new_connection` in `client.toml`, and from `differs` and
`runtime_settings` in the language's `runner.toml`; socket settings come from `harness/specs/sockets.json`.
"""
RUNTIMES: Final = """## Heaps and runtimes

What clients run on, by language. A cold start has each runtime as it is installed.

| language | runtime | memory | compiled | threads |
| --- | --- | --- | --- | --- |
"""
CONNECTIONS: Final = """## What a new connection is

A unit of `new-connection` is what a user of the library writes for it, and that is not the same everywhere: some
libraries have a connection that stands alone, others a client with a pool, tasks or a second connection, and some wait
for a reply before they close. The handshake is that of the newest version measured, as installed, without TLS and
password, against Redis 7.0; it is what `respmark trace LIBRARY new-connection` shows. Against a cluster, a unit
makes and closes a whole cluster client, and finding the nodes is a part of it.

| library | makes | sends before the command | ends with |
| --- | --- | --- | --- |
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
| --- | --- | ---: | ---: | ---: | ---: |
"""


def made(catalogue: Catalogue) -> dict[str, str]:
    """Return the sections that follow from files, by library; there is none for one that is all as installed."""
    differing = {
        spec.library: (*spec.differs, *catalogue.runners[spec.runner].differs)
        for spec in catalogue.clients.values()
        if spec.capabilities.is_library
    }
    return {library: section(library, differences) for library, differences in differing.items() if differences}


def runtimes(catalogue: Catalogue) -> str:
    """Return the table of what clients run on, a row for each language."""
    known = [(one.language, one.runtime_settings) for one in catalogue.runners.values() if one.runtime_settings]
    rows = [(name, one.version, one.memory, one.compiled, one.threads) for name, one in sorted(known)]
    return RUNTIMES + rows_of(rows)


def connections(catalogue: Catalogue) -> str:
    """Return the table of what libraries make of a new connection, a row for each."""
    known = [(one.library, one.new_connection) for one in catalogue.clients.values() if one.new_connection]
    return CONNECTIONS + rows_of((name, one.makes, one.sends, one.closes) for name, one in sorted(known))


def sockets(catalogue: Catalogue) -> str:
    """Return the table of what libraries ask of the kernel for their connections, as it was measured."""
    libraries = sorted(spec.library for spec in catalogue.clients.values() if spec.capabilities.is_library)
    known = [(name, found) for name in libraries if (found := catalogue.sockets.get(name))]
    rows = [(f"{name} {found.version}", *_settings(one.settings)) for name, found in known for one in found.sockets]
    lacking = [name for name in libraries if name not in catalogue.sockets]
    return SOCKETS + rows_of(rows) + (f"\nNot measured: {', '.join(lacking)}.\n" if lacking else "")


def _settings(asked: SocketSettings) -> Iterator[str]:
    yield "on" if asked.no_delay else "off"
    if (alive := asked.keep_alive) is None:
        yield from ("none", "", "")
    else:
        yield from (f"{alive.idle_s:,} s", str(alive.probes), f"{alive.interval_s:,} s")
    yield "none" if asked.user_timeout_ms is None else f"{asked.user_timeout_ms / 1000:g} s"


def rows_of(rows: Iterable[Iterable[str]]) -> str:
    """Return rows of a table."""
    return "".join(f"{markdown_row(map(escaped, row))}\n" for row in rows)


def section(library: str, differences: Iterable[Difference]) -> str:
    """Return a library's section of the page."""
    head = "| setting | as installed | here | where | why |\n| --- | --- | --- | --- | --- |\n"
    return f"## {library}\n\n{head}{rows_of(map(cells, differences))}"


def page(catalogue: Catalogue) -> str:
    """Return the page."""
    found = made(catalogue)
    tables = (runtimes(catalogue), connections(catalogue), sockets(catalogue))
    return "\n".join([HEAD, *tables, *(found[library] for library in sorted(found))])


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(Catalogue()), encoding="utf-8")


if __name__ == "__main__":
    main()
