"""Records what a server counts while real clients open connections: see the package."""

import json
import os
import re
import sys
from typing import Any

import pytest

from respmark.cli.app import run_command
from respmark.run.counters import Snapshot, server_version
from respmark.run.judge import Judge, Turn
from respmark.servers.info import parse_info
from respmark.servers.node import SERVER_VARIABLE
from tests.run.recorded import FOLDER

COUNTERS = re.compile("cmdstat_|total_net_input|keyspace_(hits|misses)")
NEEDED = re.compile("run_id|connected_(clients|slaves)|total_connections|used_cpu_(user|sys):")
WORDS = ("run", "every", "--scenario", "new-connection", "--laps", "3", "--quiet")


def main(program: str) -> None:
    os.environ[SERVER_VARIABLE] = program
    slices: dict[str, dict[str, Any]] = {}
    name, seen = "", Judge._seen

    def noted(judge: Judge, turn: Turn, sampled: int | None) -> dict[str, Any]:
        nonlocal name
        name = server_version(parse_info(turn.after.info)).replace(" ", "-")
        slices[judge.cell.client.name] = {
            "client": judge.cell.client.name,
            "units": sum(one.units for one in turn.answers),
            "expected": {"calls": judge._expected(turn).calls},
            "setup_commands": sorted(judge.own_commands),
            "elapsed_ns": turn.after.at_ns - turn.before.at_ns,
            "before": _changed(turn.before, turn.after),
            "after": _changed(turn.after, turn.before),
        }
        return seen(judge, turn, sampled)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "_seen", noted)
        code = run_command(list(WORDS))
    (FOLDER / f"{name}.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in slices.values()))
    sys.exit(code)


def _changed(snapshot: Snapshot, other: Snapshot) -> list[str]:
    same = set(other.info.splitlines())
    return [
        line for line in snapshot.info.splitlines() if NEEDED.match(line) or (COUNTERS.match(line) and line not in same)
    ]


if __name__ == "__main__":
    main(sys.argv[1])
