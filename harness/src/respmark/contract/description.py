"""What can be run here: what a client's files say, and what its runner loaded."""

from typing import Literal

from pydantic import Field

from respmark.contract.base import Message, SchemaVersion
from respmark.contract.trial import Form, Scenario, Window


class ScenarioSupport(Message):
    """The variants of a scenario that an adapter has."""

    windows: list[Window] = Field(default_factory=list)
    """Windows of `pipelining`; empty for other scenarios."""
    forms: list[Form] = Field(default_factory=list)
    """Forms of `transaction`; empty for other scenarios."""


class Difference(Message):
    """One thing in which a library, or its runtime, is not set as a plain install is; options are not among them."""

    setting: str
    """As the library or the runtime calls it."""
    plain: str
    """What it is where nobody sets it."""
    ours: str
    why: str
    scenarios: list[Scenario] = Field(default_factory=list)
    """Where it is so; empty: everywhere."""


class ClientDescription(Message):
    """One client library that the runner can drive here and now."""

    library: str
    version: str
    """Version that is really loaded."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    """Libraries that change how it works (hiredis), with their versions."""
    options: dict[str, list[str | int | bool]]
    """Every option with the values it takes, the default first."""
    protocol: Literal[2, 3] = 2
    """RESP version that its connections speak as it is installed; where it has an option `protocol`, that says so."""
    scenarios: dict[Scenario, ScenarioSupport]
    """What it can express; a scenario that is absent is unsupported."""
    differences: list[Difference] = Field(default_factory=list)
    """In what it is not as installed, beside its options."""


class Description(Message):
    """A runner, and clients that it can drive here."""

    schema_version: SchemaVersion
    runner: str
    """Name of the runner's folder: python, node, java, php or dotnet."""
    runtime: str
    """Name of the runtime: CPython, Node.js, OpenJDK."""
    runtime_version: str
    clients: list[ClientDescription]
