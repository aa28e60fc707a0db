"""The options that subcommands share."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, make_dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_origin

from cyclopts import Parameter, Token
from pydantic import ValidationError

from respmark.cli.help import LENGTH, OUTPUT, PLACE, SHAPE, USUAL
from respmark.console import error_console
from respmark.contract.rate import FIND
from respmark.contract.trial import SHAPE_FIELDS, Scenario, unlimited_type
from respmark.errors import InvalidRequestError
from respmark.machine.awake import can_keep_awake
from respmark.machine.cpus import available_cpus
from respmark.machine.kernel import available_memory_bytes
from respmark.machine.limits import most_files
from respmark.machine.placement import FREE, UNPINNED, Placement, place, usual
from respmark.network.treatments import can_vanish
from respmark.plan.request import Request, option
from respmark.servers.password import WAYS, ask_password, give, read_password
from respmark.servers.url import holds_password
from respmark.specs import own
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.guidance import Capacity
from respmark.specs.names import name_parts
from respmark.specs.server import ServerSpec, SpawnedServer, UrlServer
from respmark.specs.suite import ShapeAxes

Repeated = Parameter(negative=(), consume_multiple=False, show_default=False)
Name = Parameter(metavar="NAME")


def whole(kind: Any, tokens: Sequence[Token]) -> Any:  # noqa: ANN401 - the signature that cyclopts calls
    """Convert whole numbers; the library's own way rounds 1.5 to 2. Raises InvalidRequestError for anything else."""
    found = []
    for one in tokens:
        if re.fullmatch(r"[+-]?\d+", one.value) is None:
            raise InvalidRequestError(f"{one.keyword} {one.value}: write a whole number")
        found.append(int(one.value))
    return tuple(found) if get_origin(kind) is tuple else found[-1]


Whole = Parameter(converter=whole)
Usual = Parameter(group=USUAL)
Suite = Annotated[str, Parameter(help="`quick` (default), `smoke`, a language (`node`), or a .toml file.")]
Flag = Annotated[bool, Parameter(negative=())]
FORMAT: Final = Parameter(name="--format")


def named(server: str | None) -> tuple[str, ...]:
    """Return the servers that a command was given that takes one."""
    return () if server is None else (server,)


SHARE_OF_MEMORY: Final = 0.8
"""What the processes of a block may take together; the rest is the server's and the system's."""


USUAL_FIELDS: Final = frozenset({"depth", "threads"})


def _option_type(field: str) -> Any:  # noqa: ANN401 - a type hint
    """Return the type of a shape's option; a round trip is written with its unit."""
    value: Any = str if field == "rtt_ms" else unlimited_type(field)
    help_text = Parameter(help=f"{SHAPE_FIELDS[field].help}; repeats.")
    usual = [Usual, Parameter(metavar="N")] if field in USUAL_FIELDS else []
    number = [Whole] if value is int else []
    return Annotated[tuple[value, ...], Repeated, help_text, *usual, *number]


if TYPE_CHECKING:

    @dataclass(frozen=True)
    class _OfFields:
        pass
else:
    _OfFields = make_dataclass(
        "_OfFields", [(option(name).replace("-", "_"), _option_type(name), ()) for name in SHAPE_FIELDS], frozen=True
    )


@Parameter(name="*", group=SHAPE)
@dataclass(frozen=True)
class ShapeOptions(_OfFields):
    """Numbers and forms in which scenarios are measured; each repeats, and every combination is measured."""

    if TYPE_CHECKING:

        def __init__(self, **given: tuple[object, ...]) -> None:
            """Each field of a shape is an option."""

    find_rate: Annotated[tuple[str, ...], Repeated] = ()
    """Look for the highest rate at which each client keeps to a goal, such as `p99=1ms`, and measure latency at 50, 70
    and 90 % of it; repeats."""

    @property
    def axes(self) -> ShapeAxes:
        """Return what was given."""
        given = {name: getattr(self, option(name).replace("-", "_")) for name in SHAPE_FIELDS}
        given["rtt_ms"] = tuple(map(milliseconds, given["rtt_ms"]))
        given["rate"] += tuple(f"{FIND} {goal}" for goal in self.find_rate)
        try:
            return ShapeAxes(**given)
        except ValidationError as error:
            (name, *_), value, problem = itemgetter("loc", "input", "msg")(error.errors()[0])
            words = problem.replace("Input should be greater than or equal to", "must be at least")
            words = words.removeprefix("Value error, ")
            raise InvalidRequestError(f"--{option(str(name))} {words} (is {value})") from error


TIME: Final = re.compile(r"(\d+\.?\d*|\.\d+)\s*(us|µs|ms|s)")
IN_MS: Final = {"us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}


def milliseconds(text: str) -> float:
    """Return a time that was written with its unit; 0 needs none; raises InvalidRequestError for any other text."""
    if text == "0":
        return 0.0
    if (found := TIME.fullmatch(text)) is None:
        raise InvalidRequestError(f"--rtt {text}: write a time with its unit, such as 0.2ms or 500us, or 0")
    return float(found[1]) * IN_MS[found[2]]


@Parameter(name="*", group=LENGTH)
@dataclass(frozen=True)
class PlanOptions:
    """What to measure; what is not given is the suite's."""

    client: Annotated[tuple[str, ...], Repeated, Name, Usual] = ()
    """`redis-py`, `redis-py@3.5.3`, `redis-py[parser=python]`, ./my-client; repeats, the first is the baseline."""
    scenario: Annotated[tuple[Scenario, ...], Repeated, Name, Usual] = ()
    """`sync`, `pipelining`, `batching`, `transaction`, `threads`, `pool`, `new-connection`, `caching`,
    `faults`; repeats."""
    server: Annotated[tuple[str, ...], Repeated, Name, Usual] = ()
    """`valkey@9.1`, `spawned[io-threads=2]`, a program, a URL; repeats."""
    workload: Annotated[tuple[str, ...], Repeated, Name, Usual] = ()
    """`quick`, `mget` (see `respmark list`), or a .toml file; repeats."""
    shape: ShapeOptions = ShapeOptions()
    claim: Annotated[tuple[str, ...], Repeated, Parameter(group=SHAPE)] = ()
    """In a suite made from guidance, only what this claim compares; repeats."""
    rounds: Annotated[int | None, Whole] = None
    """How often each block is measured, each time with fresh processes."""
    laps: Annotated[int | None, Whole] = None
    """Slices of each client in a round."""
    slice_s: float | None = None
    """Length of a slice, in seconds."""
    lead_in_s: float | None = None
    """The same work at the start of each slice, not measured, in seconds."""
    warmup_limit_s: float | None = None
    """The longest that a client may warm up, in seconds."""
    seed: Annotated[int, Whole] = 1
    """Decides the workload's commands and the order of trials."""

    def request(self, catalogue: Catalogue, suite: str, *, brings_server: bool = False) -> Request:
        """Return what was asked for; `brings_server`: clients run where the server is another one than usual."""
        if suite.endswith(".toml"):
            catalogue.suite(suite)  # before clients are looked up: it may name folders of the user's
        axes = self.shape.axes
        others = ("rounds", "laps", "slice_s", "lead_in_s", "warmup_limit_s", "seed")
        chosen = {
            "server": self.server or brings_server,
            "workload": self.workload,
            "rtt": dict(axes)["rtt_ms"],
        }
        available = available_memory_bytes()
        return Request(
            suite=suite,
            clients=tuple(clients_named(self.client, catalogue)),
            scenarios=self.scenario,
            shape=axes,
            claims=self.claim,
            servers=self.server,
            workloads=self.workload,
            capacity=replace(this_capacity(), chosen=frozenset(name for name, is_so in chosen.items() if is_so)),
            memory_bytes=None if available is None else int(available * SHARE_OF_MEMORY),
            **{name: getattr(self, name) for name in others},
        )


def clients_named(names: Sequence[str], catalogue: Catalogue) -> list[Client]:
    """Return the clients that the user's words mean; registries say what `redis-py@5` is, if that is not set up here.

    A name may begin with the folder of a client of the user's own.
    """
    exact: Sequence[str] = own.named(names)
    asked = {name_parts(name).base for name in exact}
    for error in (error for library, error in catalogue.broken.items() if library not in asked):
        tell(f"left out: {error}")
    if any("@" in name for name in exact):
        from respmark.setup import registry  # noqa: PLC0415 - takes long to load, and few commands need it
        from respmark.setup.host import SetupHost  # noqa: PLC0415 - as above

        exact = registry.exact_names(exact, catalogue, SetupHost(say=tell))
    return catalogue.named(exact)


def this_capacity() -> Capacity:
    """Return what this machine has for claims."""
    no_vanishing = None if can_vanish() else "this user lacks CAP_NET_ADMIN, without which a connection cannot vanish"
    return Capacity(cpus=len(available_cpus()), files=most_files(), no_vanishing=no_vanishing)


@Parameter(name="*", group=PLACE)
@dataclass(frozen=True)
class PinOptions:
    """On which CPUs server and clients run, and whether CPUs that have nothing to do sleep."""

    cpus: str | None = None
    """`split`: server and clients get CPUs of their own, half each, and one core stays free where there are three;
    `0-1:2-7`: the server's, and the clients' (one may be left out, and gets the rest); `free`: the kernel decides.
    Default: a server that the run starts gets one core, and single-threaded clients are kept off it."""
    awake: bool | None = None
    """Keep idle CPUs from sleeping: the time to wake one is the machine's, not the client's. Default: on, where
    /dev/cpu_dma_latency may be written (root may)."""

    def placement(self, servers: Sequence[ServerSpec], *, by_thread: bool = True) -> Placement:
        """Return who gets which CPUs; `by_thread`: clients' threads are ours to place."""
        awake = can_keep_awake() if self.awake is None else self.awake
        return self._cpus(servers, by_thread=by_thread).model_copy(update={"awake": awake})

    def _cpus(self, servers: Sequence[ServerSpec], *, by_thread: bool) -> Placement:
        if self.cpus not in {None, FREE}:
            is_ours = not any(isinstance(one, UrlServer) for one in servers)
            return place(self.cpus, server_is_ours=is_ours)
        has_one_thread = all(isinstance(one, SpawnedServer) and one.io_threads == 1 for one in servers)
        return usual() if self.cpus is None and by_thread and has_one_thread else UNPINNED


@Parameter(name="*", group=PLACE)
@dataclass(frozen=True)
class PasswordOptions:
    """How the server's password is given: no way shows it in the process list."""

    password_file: str | None = None
    """File whose first line is the server's password; `-`: standard input."""
    ask_password: Flag = False
    """Ask for the server's password on the terminal."""

    def take(self, given: Iterable[str], specs: Sequence[ServerSpec]) -> None:
        """Get the password for the servers that `specs` name; `given` is what the command line says of them."""
        if any(map(holds_password, given)):
            tell(
                "warning: everyone on this machine can read the password in the server's URL while this runs; "
                f"use {WAYS}"
            )
        if self.password_file is None and not self.ask_password:
            return
        if self.password_file is not None and self.ask_password:
            raise InvalidRequestError("--password-file and --ask-password both give the password; use only one")
        urls = [spec.url for spec in specs if isinstance(spec, UrlServer)]
        if not urls:
            raise InvalidRequestError(
                "a password applies only to a server that --server names by its URL; respmark starts the others itself"
            )
        if any(map(holds_password, urls)):
            raise InvalidRequestError(
                "the server's URL already has a password; remove it there, or leave out the option"
            )
        give(ask_password() if self.password_file is None else read_password(self.password_file))


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class RunOptions:
    """How long is measured, where results go, and what is shown."""

    minutes: Annotated[float | None, Usual, Parameter(metavar="M")] = None
    """How long it may take; default: the suite's, 60 with `--until`."""
    until: Annotated[str | None, Usual, Parameter(metavar="2%")] = None
    """Or until every ratio is known so well."""
    out: Annotated[Path | None, Usual, Parameter(metavar="DIR")] = None
    """Folder of the results; default: a new one in results/."""
    resume: Annotated[Path | None, Usual, Parameter(metavar="DIR")] = None
    """Go on with this run, interrupted or given more minutes."""
    allow_flush: Flag = False
    """Empty the server's database even if it holds keys that respmark did not write."""
    details: Flag = False
    """Also print the tables of every client and shape."""
    quiet: Flag = False
    """Print no progress, only the summary."""
    json_lines: Flag = False
    """Print progress as one JSON object per line, for programs, and no summary."""

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.resume is not None and (self.out is not None or self.until is not None):
            raise InvalidRequestError(
                "--resume continues a run with its own settings, its precision among them: leave out --out and --until"
            )
        if self.quiet and self.json_lines:
            raise InvalidRequestError(
                "--quiet and --json-lines exclude each other: the JSON lines are the progress that --quiet suppresses"
            )


def tell(text: str) -> None:
    """Say on standard error what takes long before anything is measured."""
    error_console().print(text)
