"""What the runner says about itself: the answer to `describe`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from respmark_python.contract import SCHEMA_VERSION


@dataclass(frozen=True)
class ScenarioSupport:
    """The variants of a scenario that an adapter has."""

    windows: Sequence[str] = ()
    forms: Sequence[str] = ()


@dataclass(frozen=True)
class Difference:
    """One setting of the library, or of its runtime, that differs from a plain install."""

    setting: str
    plain: str
    ours: str
    why: str
    scenarios: Sequence[str] = ()
    """Where it differs; empty: in every scenario."""


@dataclass(frozen=True)
class ClientDescription:
    """One client library that the runner can drive here and now."""

    library: str
    version: str
    dependencies: Mapping[str, str]
    options: Mapping[str, Sequence[str | int | bool]]
    scenarios: Mapping[str, ScenarioSupport]
    differences: Sequence[Difference] = ()


@dataclass(frozen=True)
class MissingClient:
    """One client library that the runner knows but cannot drive here."""

    library: str
    reason: str
    advice: str


@dataclass(frozen=True)
class Description:
    """A runner, its clients, and what is missing for the others."""

    runner: str
    runtime: str
    runtime_version: str
    clients: Sequence[ClientDescription] = ()
    missing: Sequence[MissingClient] = field(default=())
    schema_version: int = SCHEMA_VERSION
