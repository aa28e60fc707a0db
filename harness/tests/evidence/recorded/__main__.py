"""Records what a server counts while real clients open connections: see the package."""

import json
import os
import re
import sys
from typing import Any

import pytest

from respmark.cli.app import run_command
from respmark.evidence.info import server_version
from respmark.evidence.snapshot import Context, Snapshot, evidence_between
from respmark.results.records import Evidence
from respmark.run.participant import Participant, Turn
from respmark.target.info import parse_info
from respmark.target.spawn import SERVER_VARIABLE
from tests.evidence.recorded import FOLDER

COUNTERS = re.compile("cmdstat_|total_net_input|keyspace_(hits|misses)")
NEEDED = re.compile("run_id|connected_(clients|slaves)|total_connections|used_cpu_(user|sys):")
WORDS = ("run", "every", "--scenario", "new-connection", "--laps", "3", "--quiet")


def main(program: str) -> None:
    """Run every client on this server, and write what it counted during the last slice of each."""
    os.environ[SERVER_VARIABLE] = program
    slices: dict[str, dict[str, Any]] = {}
    name = ""

    def noted(participant: Participant, turn: Turn, _opened: int) -> Evidence:
        nonlocal name
        name = server_version(parse_info(turn.after.info)).replace(" ", "-")
        cell = participant.trial.cell
        expectation = participant.workload.expectations.of(cell.scenario, turn.answers)
        slices[cell.client.name] = {
            "client": cell.client.name,
            "scenario": cell.scenario.value,
            "units": sum(one.lead_in.units + one.measured.units for one in turn.answers),
            "expected": expectation.model_dump(mode="json", exclude_none=True),
            "setup_commands": sorted(participant.setup_commands),
            "elapsed_ns": turn.after.at_ns - turn.before.at_ns,
            "before": _changed(turn.before, turn.after),
            "after": _changed(turn.after, turn.before),
        }
        context = Context(expectation, 0, server_is_local=True, setup_commands=participant.setup_commands)
        return evidence_between(turn.before, turn.after, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Participant, "_evidence", noted)
        code = run_command(list(WORDS))
    (FOLDER / f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in slices.values()))
    sys.exit(code)


def _changed(snapshot: Snapshot, other: Snapshot) -> list[str]:
    """Return the counters that differ between the two, and what evidence cannot do without."""
    same = set(other.info.splitlines())
    return [
        line for line in snapshot.info.splitlines() if NEEDED.match(line) or (COUNTERS.match(line) and line not in same)
    ]


if __name__ == "__main__":
    main(sys.argv[1])
