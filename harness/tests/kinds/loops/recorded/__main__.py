"""Records what a server counts while real clients open connections: see the package."""

import json
import os
import re
import sys
from typing import Any

import pytest

from respmark.cli.app import run_command
from respmark.kinds.loops.check import SortedCalls
from respmark.kinds.loops.judge import Judge
from respmark.kinds.loops.loop import RawSlice
from respmark.servers.evidence import Snapshot, server_version
from respmark.servers.info import parse_info
from respmark.servers.node import SERVER_VARIABLE
from tests.kinds.loops.recorded import FOLDER

COUNTERS = re.compile("cmdstat_|total_net_input|keyspace_(hits|misses)")
NEEDED = re.compile("run_id|connected_(clients|slaves)|total_connections|used_cpu_(user|sys):")
WORDS = ("run", "every", "--scenario", "new-connection", "--laps", "2", "--warmup-limit-s", "0.05", "--quiet")


def main(program: str, *words: str) -> None:
    os.environ[SERVER_VARIABLE] = program
    slices: dict[str, dict[str, Any]] = {}
    name, seen = "", Judge._evidence_of

    def noted(judge: Judge, raw: RawSlice, sampled: int | None) -> tuple[SortedCalls, dict[str, Any]]:
        nonlocal name
        name = server_version(parse_info(raw.after.infos[0])).replace(" ", "-")
        slices[judge.cell.client.name] = {
            "client": judge.cell.client.name,
            "units": sum(one.units for one in raw.answers),
            "expected": {"calls": judge.expected(raw).calls},
            "setup_commands": sorted(judge.library_commands),
            "elapsed_ns": raw.after.at_ns - raw.before.at_ns,
            "before": _changed(raw.before, raw.after),
            "after": _changed(raw.after, raw.before),
        }
        return seen(judge, raw, sampled)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judge, "_evidence_of", noted)
        code = run_command([*WORDS, *words])
    if not name:
        sys.exit(f"nothing was measured at {program}")
    file = FOLDER / f"{name}.jsonl"
    before = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    kept = {one["client"]: one for one in before} | slices
    file.write_text("".join(f"{json.dumps(one)}\n" for one in kept.values()))
    sys.exit(code)


def _changed(snapshot: Snapshot, other: Snapshot) -> list[str]:
    same = set(other.infos[0].splitlines())
    return [
        line
        for line in snapshot.infos[0].splitlines()
        if NEEDED.match(line) or (COUNTERS.match(line) and line not in same)
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
