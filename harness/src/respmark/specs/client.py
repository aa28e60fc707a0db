"""Client specs: a library, its options, its variants, and what it can express."""

import re
from collections import Counter
from functools import reduce
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final, Literal, Self, get_args

from pydantic import Field, model_validator

from respmark.contract.base import Count, Message
from respmark.contract.lines import Difference
from respmark.contract.trial import LOOP_SCENARIOS, SHAPE_FIELDS, Scenario, Shape
from respmark.specs.builds import VersionPlace, path_of, version_of_build
from respmark.specs.client_tables import (
    COMMON_OPTIONS,
    LIBRARY,
    Cannot,
    Capabilities,
    NewConnectionSpec,
    Options,
    OptionSpec,
    OptionValue,
    OwnSetupSpec,
    SpanSpec,
    VariantSpec,
    VersionSpec,
    written,
)
from respmark.specs.limits import HELP, INSTALLED, LIMITS, EveryLimits, LimitsSpec
from respmark.specs.server import ServerKind
from respmark.specs.versions import VersionOrder
from respmark.workload.spec import Slots, WorkloadSpec

EVERY: Final[frozenset[str]] = frozenset(Scenario)
COMMAND: Final = re.compile(r"[A-Z]+")
CLUSTER: Final = "cluster"
"""What a library cannot do if it has no cluster client."""
SENTINEL: Final = "sentinel"
"""What a library cannot do if it has nothing that asks sentinels for the primary."""
ClientKey = tuple[str, str]
"""A client's runner and library: the names of its folders."""


class ClientSpec(Message):
    """A client library, as `<language>/clients/<library>/client.toml` gives it; the folders name library and runner."""

    library: str = Field(pattern=r"^[A-Za-z0-9._-]+$")
    runner: str
    summary: str
    tags: tuple[str, ...] = ()
    """Names by which suites select it, with others (`default/*`)."""
    adapter_of: str = ""
    """The library whose adapter it has, as a fork does; what `fork.sed` in its own folder replaces is replaced."""
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
    scenarios: tuple[Scenario, ...]
    """What the library can do, at least in one version and with one value of its options."""
    cannot: tuple[Cannot, ...] = ()
    """What it cannot do, and why; of several rows that fit, the first counts."""
    cluster: str = ""
    """The API that the adapter uses where the server is a cluster, by the library's own name; empty: none."""
    sentinel: str = ""
    """The API that the adapter uses where sentinels name the primary, by the library's own name; empty: none."""
    new_connection: NewConnectionSpec | None = None
    own_commands: tuple[str, ...] = ()
    """Commands that the library sends of its own accord, besides HELLO, AUTH, CLIENT and the SELECT of a database that
    is not the default one; counted separately."""
    own_gets: Count = 0
    """GETs that the library sends while it connects; subtracted in cold starts."""
    hangs_when_lost: str = ""
    """Why the library never answers what it is given after its connection was lost; empty: it does."""
    callers: Literal[Scenario.THREADS, Scenario.POOL, Scenario.SYNC] | None = None
    """The scenario that its documentation has for callers that work at the same time; null: none is named."""
    limits: EveryLimits = Field(default_factory=dict)
    """What bounds a wait; its rows are the values of the option `limits`."""
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
        never = {row.what for row in self.cannot if row.is_always}
        for scenario in LOOP_SCENARIOS:
            if (scenario in self.scenarios) == (scenario in never):
                raise ValueError(f"`{scenario}` must be in either `scenarios` or `cannot`, with a reason")
        return self

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        values = self._every_value
        for row in self.cannot:
            field = row.what.partition("=")[0]
            words = set(get_args(ServerKind)) if row.scenario else {*get_args(ServerKind), *EVERY}
            is_known = row.what in values | words or COMMAND.fullmatch(row.what)
            if not is_known and field not in SHAPE_FIELDS:
                raise ValueError(f"cannot `{row.what}`: it is no scenario, field of a shape, option's value or command")
            if row.option and row.option not in values:
                raise ValueError(f"cannot `{row.what}`: there is no option with the value {row.option}")
        for name, spec in [*self.versions.items(), *((f"since {span.since}", span) for span in self.spans)]:
            if unknown := spec.options.keys() - self.options.keys():
                raise ValueError(f"version {name} has options that the library does not have: {', '.join(unknown)}")
        for variant in self.variants:
            self._check_variant(variant)
        return self

    @model_validator(mode="after")
    def _callers_and_limits(self) -> Self:
        if self.callers is not None and self.callers not in self.scenarios:
            raise ValueError(f"callers: `{self.callers}` is not in `scenarios`")
        if self.limits and INSTALLED not in self.limits:
            raise ValueError("limits: a row `installed` is missing")
        if LIMITS in self.options:
            raise ValueError("options: `limits` follows from the rows of `limits`")
        if unknown := {option for row in self.limits.values() for option in row.at} - self._every_value - {CLUSTER}:
            raise ValueError(f"limits: there is no option with the value {', '.join(sorted(unknown))}")
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
        return {**self.options, **self._option_limits, **COMMON_OPTIONS}

    @property
    def _every_value(self) -> set[str]:
        """Return every value of every option, as names have it."""
        return {f"{name}={written(value)}" for name, one in self.every_option.items() for value in one.values}

    @property
    def _option_limits(self) -> dict[str, OptionSpec]:
        """Return the option `limits`, if its values are described."""
        values = tuple(map(str, sorted(self.limits, key=INSTALLED.__ne__)))
        matters_in: dict[str, tuple[Scenario, ...]] = dict.fromkeys(values, (Scenario.FAULTS,))
        return {LIMITS: OptionSpec(values=values, help=HELP, matters_in=matters_in)} if values else {}

    @property
    def pinned(self) -> list[str]:
        """Return the versions that a lock file or a build file pins."""
        return list(self.versions)

    def of_version(self, version: str | None) -> VersionSpec:
        """Return what applies to a version; None is the default version."""
        today = VersionSpec(
            options={name: option.values for name, option in self.every_option.items()},
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
        if build is not None:
            return version_of_build(build, self.version_places)
        pinned = self.versions.get(version or "")
        return (pinned.counts_as if pinned else "") or version

    def _layers(self, version: str | None) -> list[VersionSpec]:
        """Return what differs in a version; a build of one's own that does not say which it is is like today's."""
        own = self.own_version(version)
        if own is None:
            return []
        spans = [span for span in self.spans if span.covers(own, self.version_order)]
        return [*spans, *filter(None, [self.versions.get(version or "")])]

    def why_not(
        self,
        client: "Client",
        scenario: Scenario,
        shape: Shape | None = None,
        workload: WorkloadSpec | None = None,
        slots: Slots | None = None,
        *,
        primaries: int = 1,
        is_watched: bool = False,
    ) -> str | None:
        """Return why a client cannot do this, or None if it can; without a shape: the scenario in any.

        `slots` is where the keys are if the server is a cluster, which has so many `primaries`; `is_watched`: sentinels
        name it.
        """
        if slots is None and self.is_for_clusters(client):
            return f"{', '.join(self._of_clusters(client))} is for clusters alone"
        fields = {name for key, value in shape or () if value is not None for name in (key, f"{key}={value}")}
        commands = {kind.name for kind in workload.mix} if workload else set()
        kind: ServerKind | None = "cluster" if slots else "sentinel" if is_watched else None
        place = {kind} if kind else set()
        anywhere = {str(scenario), *client.chosen, *commands, *place, *(fields - EVERY)}
        version = self.own_version(client.version) or self.version
        fitting = (
            row
            for row in self.cannot
            if row.what in (fields | commands if row.scenario else anywhere)
            and row.scenario in {None, scenario}
            and (not row.option or row.option in client.chosen)
            and row.server in {None, kind}
            and row.slots in {None, slots}
            and row.primaries <= primaries
            and (not (row.since or row.until) or row.covers(version, self.version_order))
        )
        if (row := next(fitting, None)) is None:
            return self._why_none(kind)
        return f"workload {workload.name} has {row.what}: {row.why}" if workload and row.what in commands else row.why

    def _why_none(self, kind: ServerKind | None) -> str | None:
        """Return why no adapter reaches a server of a kind, or None."""
        if kind == CLUSTER and not self.cluster:
            return f"respmark drives no cluster client of {self.library}"
        if kind == SENTINEL and not self.sentinel:
            return "respmark does not drive its Sentinel client yet"
        return None

    def is_for_clusters(self, client: "Client") -> bool:
        """Return whether a client has an option, not at its default, that only clusters have."""
        return bool(self._of_clusters(client))

    def _of_clusters(self, client: "Client") -> list[str]:
        options = (
            (self.every_option[name], f"{name}={written(value)}", value) for name, value in client.options.items()
        )
        return [word for option, word, value in options if option.cluster and value != option.values[0]]

    def callers_of(self, client: "Client") -> Scenario:
        """Return the scenario in which callers of a client work at the same time: its spec's, or the first it can."""
        usual = filter(None, (self.callers, Scenario.THREADS, Scenario.POOL))
        slots: Slots | None = "across" if self.is_for_clusters(client) else None
        return next((one for one in usual if self.why_not(client, one, slots=slots) is None), Scenario.SYNC)

    def limits_of(self, client: "Client", kind: ServerKind | None = None) -> LimitsSpec | None:
        """Return what bounds a client's waits on a server of a kind; None if that is not described."""
        row = next((row for value, row in self.limits.items() if value == client.limits), None)
        if row is None:
            return None
        version = self.own_version(client.version) or self.version
        older = row.before(version, self.version_order)
        return older or next((row.at[one] for one in (kind, *client.chosen) if one in row.at), row)

    def waits_without_limit(self, version: str) -> bool:
        """Return whether a version, as it is installed, waits for replies without a limit, whatever its options are."""
        if (row := self.limits.get(INSTALLED)) is None:
            return False
        older = row.before(version, self.version_order)
        return all(one.command in {"none", "missing"} for one in ([older] if older else [row, *row.at.values()]))

    @property
    def bounds_replies(self) -> str | None:
        """Return the options that bound the wait for a reply, as its documentation names them; None: nothing does."""
        return self.limits["1s"].options.get("command") if "1s" in self.limits else None

    def what_is_measured(self, client: "Client", scenario: Scenario) -> tuple[object, ...]:
        """Return a key; clients with equal keys behave the same in the scenario and are measured once."""
        different = ((name, value) for name, value in client.options.items() if self._matters(name, value, scenario))
        return client.library, client.version, *different

    def _matters(self, name: str, value: OptionValue, scenario: Scenario) -> bool:
        """Return whether a value changes a figure in this scenario, or cannot do it."""
        option, word = self.every_option[name], written(value)
        if value == option.values[0]:
            return False
        cannot = any(row.what == scenario and row.option == f"{name}={word}" for row in self.cannot)
        return cannot or scenario in option.matters_in.get(word, EVERY)


class Client(Message):
    """A client: one library in one configuration."""

    name: str
    """`redis-py`, `redis-py[parser=python]`, `redis-py@3.5.3`."""
    library: str
    runner: str
    version: str | None
    options: Options
    """Every option, defaults written out; `limits` only if it is not as installed."""
    capabilities: Capabilities = Field(default=LIBRARY, exclude_if=LIBRARY.__eq__)
    """Left out where they are a library's."""

    @property
    def avoids_tls(self) -> bool:
        """Return whether it must reach the server without TLS, even if the server speaks it."""
        return self.options.get("tls") == "off"

    @property
    def limits(self) -> str:
        """Return what bounds its waits, where a server fails."""
        return str(self.options.get(LIMITS, INSTALLED))

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


def numbers(version: str) -> tuple[int, ...]:
    """Return the first dotted number in a text: (20, 11, 1) for "v20.11.1-dev", () for "distribution"."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
