"""Runs programs in Python, Node, Go and PHP against four servers, sick and healthy ones, and writes what triage finds.

    cd harness && ../.build/harness/bin/python -m tools.triage_loads [--seconds 3] [--server redis@6.2 ...]

Each program uses a server in one way (bench/loads); mixed ones run beside one that is well. The table stands in
docs/triage.md. Takes some minutes a server; languages and servers as `respmark setup` brings them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import cyclopts

from respmark import paths
from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.escaping import markdown_row
from respmark.machine.guardian import Guardian, new_folder
from respmark.servers.control import Control
from respmark.servers.node import bundled_server_path, free_port
from respmark.specs.catalogue import Catalogue
from respmark.specs.triage import Severity
from respmark.triage.findings import Finding, RuleJudge
from respmark.triage.gains import NO_GAINS
from respmark.triage.rules import rules_of
from respmark.triage.watch import Wanted, watch

PROGRAMS: Final = paths.CHECKOUT / "harness" / "bench" / "loads"
PAGE: Final = paths.CHECKOUT / "docs" / "triage.md"
SERVERS: Final = ("redis@6.2", "redis@8.2", "valkey@8.1", "valkey@9.1")
LANGUAGES: Final = {"python": "redis-py", "node": "node-redis", "go": "go-redis", "php": "phpredis"}
SICK: Final = {
    "churn": "connection-churn",
    "loop": "one-at-a-time",
    "keys": "keys-command",
    "whole-set": "whole-key-reads",
    "script": "slow-scripts",
    "set-expire": "set-then-expire",
    "poll": "polling",
    "wrong-type": "errors-in-series",
    "large-values": "large-replies",
    "leak": "connection-leak",
}
"""Ways that are wrong, and the finding."""
HEALTHY: Final = ("requests", "batch", "set-ex", "worker", "subscriber")
NAMED: Final = "load"
BESIDE: Final = "beside"
LEAK_S: Final = 6.0
"""A leak is seen at several looks, and as connections that nothing uses."""


@dataclass(frozen=True)
class Mix:
    """One row of the table."""

    language: str
    way: str
    beside: tuple[tuple[str, str], ...] = ()
    """Languages and ways of those that are well."""

    @property
    def finds(self) -> str:
        """Return the finding; empty: none."""
        return SICK.get(self.way, "")

    @property
    def name(self) -> str:
        """Return what the table calls it."""
        return " beside ".join([f"{self.way} ({self.language})", *(f"{way} ({one})" for one, way in self.beside)])


MIXES: Final = (
    *(Mix(language, way) for way in SICK for language in LANGUAGES),
    # A process of PHP that subscribes does nothing else.
    *(Mix(language, way) for way in HEALTHY for language in LANGUAGES if (language, way) != ("php", "subscriber")),
    *(Mix("python", way, (("node", "requests"),)) for way in SICK),
    *(Mix("node", way, (("python", "requests"), ("php", "batch"))) for way in ("churn", "loop", "keys", "poll")),
    Mix("node", "requests", (("python", "worker"), ("go", "batch"), ("php", "set-ex"))),
)


@cache
def go_program() -> Path:
    """Return the program in Go, built with the versions of the client."""
    folder = paths.build() / "go" / "triage-loads"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROGRAMS / "golang" / "main.go", folder)
    client = paths.CHECKOUT / "go" / "clients" / "go-redis"
    text = (client / "go.mod").read_text()
    version = re.search(r"github\.com/redis/go-redis/v9 (v\S+)", text)
    assert version is not None  # noqa: S101 - the client's own file
    (folder / "go.mod").write_text(f"module loads\n\ngo 1.24\n\nrequire github.com/redis/go-redis/v9 {version[1]}\n")
    for words in (["mod", "tidy"], ["build", "-o", "load", "."]):
        subprocess.run(["go", *words], cwd=folder, check=True, capture_output=True)  # noqa: S603, S607 - Go's own tool
    return folder / "load"


def _command(language: str) -> list[str]:
    made = paths.build() / language / LANGUAGES[language]
    return {
        "python": lambda: [str(made / "bin" / "python"), str(PROGRAMS / "load.py")],
        "node": lambda: ["node", str(PROGRAMS / "load.cjs")],
        "php": lambda: ["php", str(PROGRAMS / "load.php")],
        "go": lambda: [str(go_program())],
    }[language]()


@contextmanager
def _running(language: str, way: str, name: str, port: int) -> Iterator[None]:
    modules = str(paths.build() / "node" / LANGUAGES["node"] / "node_modules")
    process = subprocess.Popen(  # noqa: S603 - programs of ours
        [*_command(language), str(port), way, name],
        stdout=subprocess.PIPE,
        env={**os.environ, "NODE_PATH": modules},
        text=True,
    )
    try:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        if process.stdout.readline().strip() not in {"begun", ""} or process.poll() is not None:
            raise RuntimeError(f"{way} in {language} did not begin")
        yield
    finally:
        process.kill()
        process.communicate()


def prepare(endpoint: Endpoint) -> None:
    """Write what the programs use."""
    with Control(endpoint) as control:
        control.command("FLUSHALL")
        control.command("SET", "text", "value")
        control.command("SET", "large", bytes(5_000_000))
        control.command("HSET", "hash", "field", "value")
        control.command("MSET", *(word for number in range(10_000) for word in (f"key:{number}", "value")))
        control.command("SADD", "members", *(f"m{number}" for number in range(50_000)))
        control.command("SLOWLOG", "RESET")


def findings_of(mix: Mix, endpoint: Endpoint, judge: RuleJudge, seconds: float) -> list[Finding]:
    """Return what triage finds while these programs run."""
    prepare(endpoint)
    port = endpoint.port or 0
    with ExitStack() as stack:
        for language, way in mix.beside:
            stack.enter_context(_running(language, way, BESIDE, port))
        stack.enter_context(_running(mix.language, mix.way, NAMED, port))
        snapshot = watch(endpoint, Wanted(LEAK_S if mix.way == "leak" else seconds))
    return [one for one in judge.findings(snapshot.nodes[0]) if one.severity is not Severity.NOTE]


def said(mix: Mix, found: Sequence[Finding]) -> str:
    """Return a cell of the table: what was found, and whether the right client was named."""
    if not found:
        return "nothing" if not mix.finds else "**nothing**"
    return ", ".join(_said(mix, one) for one in found)


def _said(mix: Mix, one: Finding) -> str:
    if one.id != mix.finds:
        return f"**{one.id}**"
    names = {who.name for who in one.clients}
    # One that has not said its name yet is its own.
    whose = " (**another client**)" if BESIDE in names else "" if NAMED in names else " (no client)"
    return f"{one.id}{whose}"


def _table(servers: Sequence[str], rows: dict[Mix, list[str]]) -> str:
    heads = ["load", *servers]
    made = [heads, ["---"] * len(heads), *([mix.name, *cells] for mix, cells in rows.items())]
    return "\n" + "".join(f"{markdown_row(one)}\n" for one in made) + "\n"


def main(*, seconds: float = 3.0, server: tuple[str, ...] = SERVERS, only: str = "") -> None:
    """Run all, and write the table."""
    catalogue = Catalogue()
    judge = RuleJudge(rules_of(catalogue), NO_GAINS, catalogue.clients)
    mixes = [mix for mix in MIXES if only in mix.name]
    rows: dict[Mix, list[str]] = {mix: [] for mix in mixes}
    for name in server:
        with closing(Guardian()) as guardian, started(name, guardian) as endpoint:
            for mix in mixes:
                rows[mix].append(said(mix, findings_of(mix, endpoint, judge, seconds)))
                sys.stderr.write(f"{name}: {mix.name}: {rows[mix][-1]}\n")
    text = _table(server, rows)
    page = re.sub(
        r"(<!-- tried: begin -->\n).*?(<!-- tried: end -->)",
        lambda marks: f"{marks[1]}{text}{marks[2]}",
        PAGE.read_text(),
        flags=re.DOTALL,
    )
    PAGE.write_text(page)


@contextmanager
def started(name: str, guardian: Guardian) -> Iterator[Endpoint]:
    """Start one of the servers that set-up brings, as users have them: without a password."""
    program = bundled_server_path(Catalogue().target(name))
    folder = new_folder(guardian)
    endpoint = Endpoint(host="127.0.0.1", port=free_port())
    words = ["--port", str(endpoint.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    process = subprocess.Popen([str(program), *words], stdout=subprocess.DEVNULL)  # noqa: S603 - a server of set-up
    guardian.protect("process", process.pid)
    try:
        while process.poll() is None:
            with ExitStack() as stack:
                try:
                    stack.enter_context(Control(endpoint))
                except TargetError:
                    continue
                break
        yield endpoint
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    cyclopts.run(main)
