"""Programs in Python, Node, Go and PHP that use a server in one way each, and what triage finds while they run."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.machine.guardian import Guardian, new_folder
from respmark.servers.control import Control
from respmark.servers.node import bundled_server_path
from respmark.servers.ports import free_port
from respmark.specs.catalogue import Catalogue
from respmark.specs.triage import Severity
from respmark.triage.findings import Finding, RuleJudge
from respmark.triage.options import WatchOptions
from respmark.triage.watch import watch

PROGRAMS: Final = Path(__file__).parent / "programs"
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
    write_go_module(LANGUAGES["go"], folder)
    subprocess.run(["go", "build", "-o", "load", "."], cwd=folder, check=True)  # noqa: S607 - Go's own tool
    return folder / "load"


def write_go_module(library: str, folder: Path) -> None:
    """Write what Go must know of a program that uses the client's version: its packages, without the runner."""
    client = paths.CHECKOUT / "go" / "clients" / library
    lines = (client / "go.mod").read_text().splitlines(keepends=True)
    (folder / "go.mod").write_text("".join(line for line in lines if "respmark v" not in line and "=>" not in line))
    shutil.copy(client / "go.sum", folder)


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
        snapshot = watch(endpoint, WatchOptions(LEAK_S if mix.way == "leak" else seconds))
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


@contextmanager
def started(name: str, guardian: Guardian) -> Iterator[Endpoint]:
    """Start one of the servers that set-up brings, as users have them: without a password."""
    program = bundled_server_path(Catalogue().server(name))
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
                except ServerError:
                    continue
                break
        yield endpoint
    finally:
        process.kill()
        process.wait()
