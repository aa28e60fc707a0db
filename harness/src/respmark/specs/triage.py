"""Rules of `respmark triage`: what in a server's counters is a finding, what it costs, and what to do about it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from respmark.contract.base import Message
from respmark.contract.trial import Scenario, Shape
from respmark.errors import SpecError
from respmark.nearest import nearest_first
from respmark.specs.statements import CellSpec, ClaimedRatio, ClaimMetric, Direction

PLACEHOLDER: Final = re.compile(r"\{([a-z0-9_.]+)\}")
"""A signal in a sentence; `{name}` is what the row is about."""
INFO: Final = "info."
"""Begins the name of a signal that is a field of the server's INFO, or with `_per_s` its change."""
ANY_CLIENT: Final = "commands"
"""In a rule's `code`: the commands to send, for a client whose library is not known or has no lines of its own."""


class Severity(StrEnum):
    """How bad a finding is."""

    HIGH = "high"
    """The server or its users suffer now, or are about to."""
    MEDIUM = "medium"
    """It wastes much of the server or of a client."""
    LOW = "low"
    """Worth changing when there is time."""
    NOTE = "note"
    """Nothing wrong: something could not be seen."""


class About(StrEnum):
    """What a rule looks at: each of these has signals of its own, those of `server` apply everywhere."""

    SERVER = "server"
    COMMAND = "command"
    """A command that was called, in lower case, or is in the slow log."""
    CLIENT = "client"
    """Connections of one host, user, client name, library and version."""
    ERROR = "error"
    """An error code, such as WRONGTYPE."""
    EVENT = "event"
    """An event of LATENCY LATEST."""
    NODE = "node"
    """A node of the cluster that the others say has failed."""
    HOT_KEY = "hot-key"
    """A key that MONITOR saw often, by its salted hash."""
    KEY = "key"
    """A key of the sample that `--keys` takes."""


class Condition(Message):
    """A threshold."""

    signal: str
    above: float | None = None
    below: float | None = None
    why: str
    """Why this threshold."""

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError(f"`{self.signal}` needs either `above` or `below`")
        return self

    def holds(self, value: float) -> bool:
        """Return whether a value is beyond the threshold."""
        return value > self.above if self.above is not None else value < (self.below or 0.0)

    @property
    def words(self) -> str:
        """Return the condition in words."""
        return (
            f"{self.signal} above {self.above:g}" if self.above is not None else f"{self.signal} below {self.below:g}"
        )


class VersionRange(Message):
    """Versions of a library."""

    library: str
    """As `respmark list` names it."""
    since: str
    """The first of them."""
    before: str | None = None
    """The first version after them; null: none."""


class SideSpec(Message):
    """One side of what a change would bring: a cell of a run, whose client is the one that is found."""

    scenario: Scenario
    shape: Shape = Shape()
    workload: str | None = None
    options: str = ""
    """The client's, in brackets, such as `[command-timeout=off]`."""

    def of(self, library: str) -> CellSpec:
        """Return the cell of a library."""
        return CellSpec(
            client=f"{library}{self.options}", scenario=self.scenario, shape=self.shape, workload=self.workload
        )


class GainSpec(Message):
    """What the change would bring, as a ratio of two cells that published runs have."""

    says: str
    """What is compared, to be read after `1.5 times`."""
    better: SideSpec
    worse: SideSpec
    metric: ClaimMetric = "rps"
    times: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """What the ratio is multiplied by: how much of the work of `worse` one command of `better` does."""
    libraries: tuple[str, ...] = ()
    """Only these; default: every library that was measured so."""

    def claimed(self, library: str) -> ClaimedRatio:
        """Return the comparison for a library."""
        return ClaimedRatio(
            metric=self.metric,
            direction=Direction.MORE,
            factor=1.0,
            cell=self.better.of(library),
            against=self.worse.of(library),
            published=None,
            times=self.times,
        )


class RowsCode(Message):
    """The lines to write for some of the rows."""

    rows: tuple[str, ...] = ()
    """By name, such as a command in lower case; default: all."""
    where: str = ""
    """A signal of the server that must be known and not 0."""
    code: dict[str, str]
    """As in a rule."""

    def is_for(self, row: str, signals: Mapping[str, float]) -> bool:
        """Return whether these are a row's lines."""
        return (not self.rows or row in self.rows) and (not self.where or bool(signals.get(self.where)))


class RuleSpec(Message):
    """One rule, as `specs/triage/*.toml` gives it."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    """The file's name."""
    title: str
    """What is wrong, in one line."""
    severity: Severity
    of: About = About.SERVER
    only: tuple[str, ...] = ()
    """The rows that it looks at, by name: commands in lower case, error codes, events; default: all."""
    versions: tuple[VersionRange, ...] = ()
    """Of clients: only connections of these versions."""
    without_limit: bool = False
    """Of clients: only connections of libraries that wait for replies without a limit as they are installed
    (`[limits.installed]` of client.toml). The evidence then names the option to set."""
    unless: tuple[str, ...] = ()
    """Rules that explain the same better: a row that one of them reported is left out, and all rows, if one of them
    that looks at something else reported anything."""
    needs: tuple[str, ...] = ()
    """Commands besides INFO without which nothing can be said, such as SLOWLOG."""
    when: tuple[Condition, ...] = Field(min_length=1)
    """All of them hold."""
    evidence: str
    """What was seen, with signals in braces."""
    monitored: str = ""
    """What MONITOR adds to it."""
    seen_by_monitor: str = ""
    """The signal of MONITOR that shows it: where MONITOR ran and it is 0, it is not so."""
    suspects: tuple[str, ...] = ()
    """Whose doing it is: clients that sent these commands, that were `opening` connections, were `busy`, or were
    `receiving` most bytes; or whom MONITOR saw do it (`set_then_expire`, `selects`, `repeated_pops`, `longest_run`,
    `conflicts`).
    Clients and commands know by themselves."""
    costs: str
    """What it costs now, with signals in braces."""
    advice: str
    """What to do."""
    code: dict[str, str] = Field(default_factory=dict)
    """The lines to write, by library, or by a library's versions (`node-redis<5`); `commands`: what to send with any
    client, in which signals stand in braces: a line is left out where one of them is not known."""
    code_for: tuple[RowsCode, ...] = ()
    """The same for some rows only; it comes before `code`."""
    gain: tuple[GainSpec, ...] = ()
    """What the change would bring: of each client, the first that a published run has."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences that name signals."""
        return self.evidence, self.monitored, self.costs

    def code_of(self, row: str, signals: Mapping[str, float]) -> dict[str, str]:
        """Return the lines to write for a row of a server with these signals."""
        return next((one.code for one in self.code_for if one.is_for(row, signals)), self.code)

    @property
    def libraries(self) -> frozenset[str]:
        """Return the libraries that have lines."""
        names = (name for code in (self.code, *(one.code for one in self.code_for)) for name in code)
        return frozenset(library_of(name) for name in names) - {ANY_CLIENT}

    def placeholders(self) -> Iterator[str]:
        """Yield every signal that the rule names."""
        yield from (condition.signal for condition in self.when)
        yield from filter(None, [self.seen_by_monitor])
        yield from (one.where for one in self.code_for if one.where)
        commands = (code.get(ANY_CLIENT, "") for code in (self.code, *(one.code for one in self.code_for)))
        sentences = (*self.sentences, *commands)
        yield from (name for sentence in sentences for name in PLACEHOLDER.findall(sentence) if name != "name")


def library_of(name: str) -> str:
    """Return the library that a name of `code` begins with."""
    return re.split("[<>=!~]", name, maxsplit=1)[0]


def check_rules(paths: Iterable[tuple[Path, RuleSpec]], known: dict[About, frozenset[str]]) -> tuple[RuleSpec, ...]:
    """Return the rules; refuse one that names a signal or a rule that does not exist, or an id that is taken."""
    found = list(paths)
    ids = [rule.id for _, rule in found]
    for path, rule in found:
        signals = known[rule.of] | known[About.SERVER]
        for name in rule.placeholders():
            if not name.startswith(INFO) and name not in signals:
                raise SpecError(path, f"there is no signal `{name}`; there are: {nearest_first(name, sorted(signals))}")
        if missing := [name for name in rule.unless if name not in ids]:
            raise SpecError(
                path, f"`unless`: there is no rule `{missing[0]}`; there are: {nearest_first(missing[0], ids)}"
            )
        if ids.count(rule.id) > 1:
            raise SpecError(path, f"two rules have the id `{rule.id}`")
    return tuple(rule for _, rule in found)
