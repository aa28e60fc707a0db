"""What servers said before and after a slice of real clients: the lines of INFO that changed.

`python -m tests.evidence.recorded SERVER`, in `harness/`, records a server's binary again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from respmark.contract.trial import Scenario
from respmark.evidence.snapshot import Context, Snapshot
from respmark.results.records import Expectation

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    """One slice of one client on one server."""

    client: str
    scenario: Scenario
    units: int
    """What the runner claimed to have done, lead-in included."""
    before: Snapshot
    after: Snapshot
    context: Context


def recorded(path: Path) -> Iterator[Recorded]:
    """Yield the slices that were recorded on a server."""
    for line in path.read_text().splitlines():
        one: dict[str, Any] = json.loads(line)
        expected, setup = Expectation.model_validate(one["expected"]), frozenset(one["setup_commands"])
        yield Recorded(
            client=one["client"],
            scenario=Scenario(one["scenario"]),
            units=one["units"],
            before=Snapshot(0, "\n".join(one["before"]), None),
            after=Snapshot(one["elapsed_ns"], "\n".join(one["after"]), None),
            context=Context(expected, runner_cpu_ns=0, server_is_local=True, setup_commands=setup),
        )
