"""What servers said before and after a slice of real clients: the lines of INFO that changed.

`python -m tests.kinds.loops.recorded SERVER`, in `harness/`, records every client at a server's binary again; with
`--client NAME` after it, that client alone. Those that could not be measured keep what they had.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from respmark.kinds.loops.check import SortedCalls, sort_calls
from respmark.servers.evidence import Evidence, Snapshot, evidence_between

FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    """One slice of one client on one server, in `new-connection`."""

    client: str
    units: int
    """What the runner claimed to have done, lead-in included."""
    evidence: Evidence
    calls: SortedCalls


def recorded(path: Path) -> Iterator[Recorded]:
    for line in path.read_text().splitlines():
        one: dict[str, Any] = json.loads(line)
        before, after = Snapshot(0, ("\n".join(one["before"]),), None), ("\n".join(one["after"]),)
        evidence = evidence_between(before, Snapshot(one["elapsed_ns"], after, None))
        calls = sort_calls(evidence.calls, one["expected"]["calls"], frozenset(one["setup_commands"]))
        yield Recorded(one["client"], one["units"], evidence, calls)
