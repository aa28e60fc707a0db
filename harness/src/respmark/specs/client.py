"""Client specs: a library, its options, its variants, and what it can express."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message, Seconds
from respmark.contract.lines import Difference, ScenarioSupport
from respmark.contract.trial import LOOPS, Scenario, Shape
from respmark.specs.builds import VersionPlace, path_of, version_of_build
from respmark.specs.versions import VersionOrder, is_before, sort_key
from respmark.workload.spec import WorkloadSpec

OptionValue = str | int | bool
Options = dict[str, OptionValue]
ClientKey = tuple[str, str]
"""A client's runner and library: the names of its folders."""


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
    differs: dict[str, tuple[Scenario, ...]] = Field(default_factory=dict)
    """Scenarios in which a value differs from the default; for a value left out: all."""
    unsupported: dict[str, dict[Scenario, str]] = Field(default_factory=dict)
    """Scenarios that a value cannot express, with the reason."""
    lacks: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Fields of shapes, or values of them (`window=sliding`), that a value cannot have, with the reason."""
    without: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Packages that must not be loaded with a value, or the client is not what its name says."""
    sends: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Commands of its own that the library sends with each unit at a value: once for each time that they stand here."""

    @model_validator(mode="after")
    def _values_exist(self) -> Self:
        named = {*self.differs, *self.unsupported, *self.lacks, *self.without, *self.sends}
        if unknown := named - set(map(written, self.values)):
            raise ValueError(f"the option has no value {', '.join(sorted(unknown))}")
        return self

    def makes_a_difference(self, value: OptionValue, scenario: Scenario) -> bool:
        """Return whether the value differs from the default in this scenario, or is unsupported there for a reason."""
        if value == self.values[0]:
            return False
        name = written(value)
        return scenario in self.differs.get(name, tuple(Scenario)) or scenario in self.unsupported.get(name, {})


COMMON_OPTIONS: Final = {
    "tls": OptionSpec(
        values=("as-target", "off"),
        help="off: connects without TLS to a server that respmark started with TLS, which also listens without it.",
    ),
}
"""Options of every library: how it is to reach the target. Runners are not given them."""


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


class VersionSpec(Message):
    """What differs in a version; or all that is true of it (`ClientSpec.of_version`)."""

    summary: str = ""
    options: dict[str, tuple[OptionValue, ...]] = Field(default_factory=dict)
    """Values that this version takes; the first is the default."""
    lacks: dict[str, str] = Field(default_factory=dict)
    """Values that this version does not have (`api=asyncio`), with the reason: unsupported in every scenario."""
    scenarios: dict[Scenario, ScenarioSupport] = Field(default_factory=dict)
    unsupported: dict[Scenario, str] = Field(default_factory=dict)
    own_commands: tuple[str, ...] = ()
    adapter: str = ""
    package: str = ""
    """The library's name in the registry, where it had another one."""
    setup: OwnSetupSpec | None = None

    def with_layer(self, layer: "VersionSpec") -> "VersionSpec":
        """Return this with what another one says instead."""
        return VersionSpec(
            options={**self.options, **layer.options},
            lacks={**self.lacks, **layer.lacks},
            scenarios={**self.scenarios, **layer.scenarios},
            unsupported={**self.unsupported, **layer.unsupported},
            own_commands=layer.own_commands if "own_commands" in layer.model_fields_set else self.own_commands,
            adapter=layer.adapter or self.adapter,
            package=layer.package or self.package,
            setup=layer.setup or self.setup,
        )


class SpanSpec(VersionSpec):
    """What differs in a span of versions."""

    since: str = ""
    """The first of them; empty: there is none."""
    until: str = ""
    """The first version after them; empty: there is none."""

    def covers(self, version: str, order: VersionOrder) -> bool:
        """Return whether a version is one of them."""
        is_known = sort_key(version, order) is not None
        is_in = not (self.since and is_before(version, self.since, order))
        return is_known and is_in and (not self.until or is_before(version, self.until, order))


class ClientSpec(Message):
    """A client library, as `<language>/clients/<library>/client.toml` gives it; the folders name library and runner."""

    library: str = Field(pattern=r"^[A-Za-z0-9._-]+$")
    runner: str
    summary: str
    tags: tuple[str, ...] = ()
    """Names by which suites select it, with others (`default/*`)."""
    color: Count | None = None
    """Number of its colour and symbol in charts, the same in every run; null: one that the run leaves free."""
    package: str = ""
    """The library's name in the language's registry, as its package manager takes it."""
    repository: str = ""
    """Where its sources are, as git takes it; its newest commit is the version `main`. Empty: that cannot be built."""
    version: str = ""
    """The version that is measured where none is named: what users get today; empty: no version can be named."""
    since: str = ""
    """The oldest version that the adapters know; empty: any."""
    older: str = ""
    """Why versions before `since` are not measured."""
    version_order: VersionOrder = VersionOrder.SEMVER
    """How the language's registry orders versions, as its runner's spec says."""
    version_places: tuple[VersionPlace, ...] = ()
    """Where sources say which version they are, as its runner's spec says."""
    adapter: str = ""
    """The adapter's file in the client's folder, or its class."""
    protocol: Literal[2, 3] = 2
    """RESP version that its connections speak as it is installed, where it has no option `protocol`."""
    capabilities: Capabilities = LIBRARY
    """The runner's."""
    hidden: bool = False
    """Whether it is no library: it shows what the loops cost, and no suite measures it."""
    options: dict[str, OptionSpec] = Field(default_factory=dict)
    scenarios: dict[Scenario, ScenarioSupport]
    unsupported: dict[Scenario, str] = Field(default_factory=dict)
    """Scenarios that the library cannot express, with the reason."""
    new_connection: NewConnectionSpec | None = None
    no_method: dict[str, str] = Field(default_factory=dict)
    """Commands that no method of the library sends, with the reason: a workload that has one is unsupported."""
    own_commands: tuple[str, ...] = ()
    """Commands that the library sends of its own accord, besides HELLO, AUTH, CLIENT and the SELECT of a database that
    is not the default one; counted separately."""
    own_gets: Count = 0
    """GETs that a new client sends of its own accord, as in a script: a cold start has them, too."""
    hangs_when_lost: str = ""
    """Why the library never answers what it is given after its connection was lost; empty: it does."""
    differs: tuple[Difference, ...] = ()
    variants: tuple[VariantSpec, ...] = Field(min_length=1)
    versions: dict[str, VersionSpec] = Field(default_factory=dict)
    """The pinned versions, besides `version`, with what is true of them alone."""
    spans: tuple[SpanSpec, ...] = ()
    """What differs in spans of versions; where several cover a version, a later one goes before an earlier one."""
    setup: OwnSetupSpec | None = None
    """How the library is set up, if it does not come from the registry."""

    @model_validator(mode="after")
    def _every_scenario_once(self) -> Self:
        for scenario in LOOPS:
            if (scenario in self.scenarios) == (scenario in self.unsupported):
                raise ValueError(f"`{scenario}` must be listed in either [scenarios] or [unsupported], with a reason")
        return self

    @model_validator(mode="after")
    def _variants_exist(self) -> Self:
        for name, spec in [*self.versions.items(), *((f"since {span.since}", span) for span in self.spans)]:
            if unknown := {*spec.options, *(value.partition("=")[0] for value in spec.lacks)} - set(self.options):
                raise ValueError(f"version {name} has options that the library does not have: {', '.join(unknown)}")
        for variant in self.variants:
            self._check_variant(variant)
        return self

    def _check_variant(self, variant: VariantSpec) -> None:
        if variant.version is not None and variant.version not in self.pinned:
            raise ValueError(f"there is no version {variant.version}; there are: {', '.join(self.pinned) or 'none'}")
        values = self.of_version(variant.version).options
        for name, value in variant.options.items():
            if value not in values.get(name, ()):
                allowed = ", ".join(map(str, values.get(name, ()))) or "no such option"
                raise ValueError(f"a variant has {name} = {value!r}; allowed: {allowed}")

    def must_not_load(self, options: Options) -> frozenset[str]:
        """Return the packages that a client with these options must not have loaded."""
        absent = (self.every_option[name].without.get(written(value), ()) for name, value in options.items())
        return frozenset(chain.from_iterable(absent))

    def sent_with_units(self, options: Options) -> Counter[str]:
        """Return the commands that a client with these options sends with each unit beside it, and how many of each."""
        sent = (self.every_option[name].sends.get(written(value), ()) for name, value in options.items())
        return Counter(chain.from_iterable(sent))

    @property
    def every_option(self) -> dict[str, OptionSpec]:
        """Return the library's options, and those that all libraries have."""
        return {**self.options, **COMMON_OPTIONS}

    @property
    def pinned(self) -> list[str]:
        """Return the versions that a lock file or a build file pins."""
        return list(self.versions)

    def of_version(self, version: str | None) -> VersionSpec:
        """Return all that is true of a version; None: of the one that is measured where none is named."""
        today = VersionSpec(
            options={name: option.values for name, option in self.every_option.items()},
            scenarios=self.scenarios,
            unsupported=self.unsupported,
            own_commands=self.own_commands,
            adapter=self.adapter,
            package=self.package,
            setup=self.setup,
        )
        return reduce(VersionSpec.with_layer, self._layers(version), today)

    def own_version(self, version: str | None) -> str | None:
        """Return a version as its library counts it: of a build of one's own, the one that its name or its sources say.

        None: the version that is measured where none is named, or a build that does not say.
        """
        build = path_of(version)
        return version if build is None else version_of_build(build, self.version_places)

    def _layers(self, version: str | None) -> list[VersionSpec]:
        """Return what differs in a version; a build of one's own that does not say which it is is like today's."""
        own = self.own_version(version)
        if own is None:
            return []
        spans = [span for span in self.spans if span.covers(own, self.version_order)]
        return [*spans, *filter(None, [self.versions.get(version or "")])]


class Client(Message):
    """A client: one library in one configuration."""

    name: str
    """`redis-py`, `redis-py[parser=python]`, `redis-py@3.5.3`."""
    library: str
    runner: str
    version: str | None
    options: Options
    """Every option, defaults written out."""
    capabilities: Capabilities = Field(default=LIBRARY, exclude_if=LIBRARY.__eq__)
    """Left out where they are a library's."""

    @property
    def avoids_tls(self) -> bool:
        """Return whether it must reach the target without TLS, even if the target speaks it."""
        return self.options.get("tls") == "off"

    @property
    def chosen(self) -> list[str]:
        """Return every option with its value, as names have it."""
        return [f"{name}={written(value)}" for name, value in self.options.items()]

    @property
    def installed(self) -> str:
        """Return the library and its version as users name them."""
        return f"{self.library}@{self.version}" if self.version else self.library

    @property
    def installation(self) -> str:
        """Return the name of what set-up made for this library in this version, where each has its own."""
        if self.own_build:
            return f"{self.library}-file-{sha256(str(self.own_build).encode()).hexdigest()[:8]}"
        return f"{self.library}-{self.version}" if self.version else self.library

    @property
    def own_build(self) -> Path | None:
        """Return where the build of one's own is, if the client is one."""
        return path_of(self.version)


def unsupported_reason(spec: ClientSpec, client: Client, scenario: Scenario, shape: Shape | None = None) -> str | None:
    """Return why the client cannot express the scenario in this shape, or None if it can."""
    here = spec.of_version(client.version)
    if reason := next((here.lacks[one] for one in client.chosen if one in here.lacks), None):
        return reason
    of_values = (spec.every_option[name].unsupported.get(written(value), {}) for name, value in client.options.items())
    if reason := next((one[scenario] for one in (here.unsupported, *of_values) if scenario in one), None):
        return reason
    if shape is None:
        return None
    support = here.scenarios.get(scenario, ScenarioSupport())
    if shape.window is not None and shape.window not in support.windows:
        return f"{client.installed} supports only the window {_listed(support.windows)}"
    if shape.form is not None and shape.form not in support.forms:
        return f"{client.installed}'s transaction API supports only the form {_listed(support.forms)}"
    of_options = (spec.every_option[name].lacks.get(written(value), {}) for name, value in client.options.items())
    return _lack_of(shape, (support.lacks, *of_options))


def method_unsupported_reason(spec: ClientSpec, workload: WorkloadSpec) -> str | None:
    """Return why the library cannot send a workload, or None: it has no method for one of its commands."""
    lacking = (kind.name for kind in workload.mix if kind.name in spec.no_method)
    return next((f"workload {workload.name} has {name}: {spec.no_method[name]}" for name in lacking), None)


def _lack_of(shape: Shape, lacks: Iterable[Mapping[str, str]]) -> str | None:
    """Return the reason of the first lack that a field of the shape meets, or its value."""
    given = {name for field, value in shape if value is not None for name in (field, f"{field}={value}")}
    return next((reason for one in lacks for name, reason in one.items() if name in given), None)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def what_is_measured(spec: ClientSpec, client: Client, scenario: Scenario) -> tuple[object, ...]:
    """Return what distinguishes the client from others of its library in a scenario: equal ones are measured once."""
    of_options = [(spec.every_option[name], name, value) for name, value in client.options.items()]
    different = ((name, value) for option, name, value in of_options if option.makes_a_difference(value, scenario))
    return client.library, client.version, *different


def numbers(version: str) -> tuple[int, ...]:
    """Return the first dotted number in a text: (20, 11, 1) for "v20.11.1-dev", () for "distribution"."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
