"""How much of a client's CPU time its busiest thread uses, as `specs/one-thread.toml` gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

from pydantic import Field

from respmark.contract.base import Message
from respmark.contract.trial import Scenario
from respmark.specs.client import Client

ONE_THREAD: Final = 2 / 3
"""Share of a client's CPU time: a thread that uses this much or more works alone, beside compilers and collectors."""


class BusiestShares(Message):
    """The file's content."""

    shares: dict[Scenario, dict[str, Annotated[float, Field(gt=0, le=1)]]]
    """By scenario and client, the client without its version."""


@dataclass(frozen=True)
class OneThread:
    """Which clients work with one thread, by scenario."""

    shares: Mapping[Scenario, Mapping[str, float]] = field(default_factory=dict)

    def works_alone(self, client: Client, scenario: Scenario) -> bool | None:
        """Return whether one thread does a client's work; None if that was never measured."""
        share = self.shares.get(scenario, {}).get(configuration(client))
        return None if share is None else share >= ONE_THREAD


def configuration(client: Client) -> str:
    """Return the client's name without its version: `lettuce[api=async]`."""
    _, bracket, options = client.name.partition("[")
    return f"{client.library}{bracket}{options}"
