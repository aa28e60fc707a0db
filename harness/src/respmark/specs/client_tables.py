"""The tables of a client.toml: options, variants, versions, what a library cannot do, and how it is set up."""

from typing import Final, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message, PositiveCount, Seconds
from respmark.contract.trial import Scenario
from respmark.specs.server import ServerKind
from respmark.specs.versions import VersionOrder, is_before, sort_key
from respmark.workload.spec import Slots

OptionValue = str | int | bool
Options = dict[str, OptionValue]


def written(value: OptionValue) -> str:
    """Return an option's value as it is written in clients' names."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Capabilities(Message):
    """What a runner's clients can do, as `[capabilities]` of its runner.toml says; the defaults are a library's.

    A client.toml can say otherwise of its client.
    """

    is_library: bool = True
    """Whether users can choose them for their programs. Others are references: they are in no ranking, and nothing of
    "all clients" names them."""
    replies: bool = True
    """Whether the runner hands over replies, which are then verified."""
    latencies: bool = True
    """Whether it keeps the latency of each unit."""
    own_keys: bool = False
    """Whether they draw keys themselves, and write values of one size."""
    own_programs: bool = False
    """Whether a program for each slice does the work: it takes a password as an argument, and its CPU is known when it
    has ended."""
    least_slice_s: Seconds = 0.0
    """The shortest slice, in seconds."""
    call_s: Seconds = 0.0
    """What each call of a program takes besides its work, in seconds."""


LIBRARY: Final = Capabilities()


class OptionSpec(Message):
    """One option of a library; in its tables, values are as written in names."""

    values: tuple[OptionValue, ...] = Field(min_length=1)
    """The first is the default."""
    help: str
    matters_in: dict[str, tuple[Scenario, ...]] = Field(default_factory=dict)
    """Scenarios in which the value changes a figure, the most telling first; if a value is not listed: all."""
    needs: Options = Field(default_factory=dict)
    """Values of other options without which this one changes nothing."""
    without: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Packages that must not be loaded with a value, or the client is not what its name says."""
    cluster: bool = False
    """Whether only the library's cluster client has it: elsewhere nothing but the default can be measured."""
    sends: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Commands of its own that the library sends with each unit at a value; one that it sends twice stands twice."""

    @model_validator(mode="after")
    def _values_exist(self) -> Self:
        named = {*self.matters_in, *self.without, *self.sends}
        if unknown := named - set(map(written, self.values)):
            raise ValueError(f"the option has no value {', '.join(sorted(unknown))}")
        return self


COMMON_OPTIONS: Final = {
    "tls": OptionSpec(
        values=("as-server", "off"),
        help="off: connects without TLS to a server that respmark started with TLS, which also listens without it.",
    ),
}
"""Options of every library: how it is to reach the server. Runners are not given them."""


class VariantSpec(Message):
    """A configuration of the library that is measured when the library is named with `[*]`."""

    version: str | None = None
    options: Options = Field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    """Where suites with `variants` have it beside the library as installed: where it differs the most."""


class PackagesSpec(Message):
    """Debian packages that a step needs."""

    names: tuple[str, ...]
    check: str
    """A command that succeeds if what they provide is there, whoever installed it."""
    lacking: str
    """What is said if it does not."""
    advice: str
    """What the user can do where the system has no such packages."""


class OwnSetupSpec(Message):
    """How a client is set up that does not come from the language's registry."""

    commands: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    """Globs: it is made anew when the contents of these files change."""
    proof: str = ""
    """A path that exists when it is made; default: everything that it makes."""
    packages: PackagesSpec | None = None
    """Looked for, and installed if that is allowed, before anything is made."""


class NewConnectionSpec(Message):
    """What a unit of `new-connection` is, in words: libraries do not make the same."""

    makes: str
    """A whole client, or the least that sends a command."""
    sends: str
    """Its handshake, as installed: what is sent before the command to a server of version 7."""
    closes: str
    """What its end is, and whether the unit waits for it."""


class Versions(Message):
    """A span of versions."""

    since: str = ""
    """The first of them; empty: there is none."""
    until: str = ""
    """The first version after them; empty: there is none."""

    def covers(self, version: str, order: VersionOrder) -> bool:
        """Return whether a version is one of them."""
        is_known = sort_key(version, order) is not None
        is_in = not (self.since and is_before(version, self.since, order))
        return is_known and is_in and (not self.until or is_before(version, self.until, order))


class Cannot(Versions):
    """What a library cannot do in a span of versions (default: in any), and why."""

    what: str
    """A scenario; a field of shapes, or a value of it (`window=sliding`); an option's value; a command (`SELECT`)."""
    why: str
    option: str = ""
    """Only at this value of an option (`api=asyncio`)."""
    scenario: Scenario | None = None
    """Only in this scenario, of whose shape `what` is a field: `threads` alone is the scenario."""
    server: ServerKind | None = None
    """Only on a server of this kind; `what = "cluster"` or `"sentinel"` is the kind itself."""
    slots: Slots | None = None
    """Only on a cluster, and where the keys are in one slot, or across slots."""
    primaries: PositiveCount = 1
    """Only on a cluster of so many primaries at the least: 2 where slots may be on several nodes."""

    @property
    def is_always(self) -> bool:
        """Return whether it holds for every version, option and server."""
        is_anywhere = not (self.server or self.slots or self.primaries > 1)
        return is_anywhere and not (self.since or self.until or self.option or self.scenario)


class VersionSpec(Message):
    """What differs in a version; or all that applies to it (`ClientSpec.of_version`)."""

    summary: str = ""
    counts_as: str = ""
    """The version of numbers that it is, if it is named otherwise."""
    options: dict[str, tuple[OptionValue, ...]] = Field(default_factory=dict)
    """Values that this version takes; the first is the default."""
    own_commands: tuple[str, ...] = ()
    adapter: str = ""
    package: str = ""
    """The library's name in the registry, where it had another one."""
    setup: OwnSetupSpec | None = None

    def with_layer(self, layer: "VersionSpec") -> "VersionSpec":
        """Return this with what another one says instead."""
        return VersionSpec(
            options={**self.options, **layer.options},
            own_commands=layer.own_commands if "own_commands" in layer.model_fields_set else self.own_commands,
            adapter=layer.adapter or self.adapter,
            package=layer.package or self.package,
            setup=layer.setup or self.setup,
        )


class SpanSpec(VersionSpec, Versions):
    """What differs in a span of versions."""
