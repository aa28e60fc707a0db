"""Runs the runner as the harness does: a process, JSON in, JSON out."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import jsonschema

from paths import CONTRACT, ENVIRONMENTS, GOLDEN_WORKLOAD
from respmark_python.contract.trial import Trial, parse_trial

EVENTS: Final = {
    event: json.loads((CONTRACT / "schemas" / f"{event}.schema.json").read_text())
    for event in ("ready", "progress", "result")
}
GO: Final = '{"event":"go"}\n'


def trial(scenario: str = "sync", shape: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return a short trial of the golden workload; the changes are fields of the trial."""
    base = {
        "schema_version": 1,
        "trial_id": "test",
        "client": {"library": "redis-py"},
        "scenario": scenario,
        "shape": dict(shape or {}),
        "workload": {"path": str(GOLDEN_WORKLOAD)},
        "target": {"host": "127.0.0.1", "port": 6379},
        "warmup_s": 0.02,
        "measure_s": 0.05,
        "verify_commands": 30,
    }
    return base | changes


def parsed(scenario: str = "sync", shape: Mapping[str, Any] | None = None, **changes: Any) -> Trial:
    """Return a trial as the runner reads it."""
    return parse_trial(json.dumps(trial(scenario, shape, **changes)))


class Runner:
    """One process of the runner."""

    def __init__(self, request: object, environment: str | None = None) -> None:
        python = ENVIRONMENTS / environment / "bin" / "python" if environment else Path(sys.executable)
        command = [str(python), "-m", "respmark_python", "run"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        self.tell(request if isinstance(request, str) else json.dumps(request) + "\n")

    def tell(self, line: str) -> None:
        """Write to its standard input."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def event(self) -> dict[str, Any]:
        """Read its next event, which must follow its schema."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"no event, but: {self.finish()[1]}"
        event: dict[str, Any] = json.loads(line)
        jsonschema.validate(event, EVENTS[event["event"]])
        return event

    def go(self) -> list[dict[str, Any]]:
        """Say `go` and return the events until the result."""
        self.tell(GO)
        events = [self.event()]
        while events[-1]["event"] != "result":
            events.append(self.event())
        assert self.finish() == (0, "")
        return events

    def finish(self) -> tuple[int, str]:
        """Close its standard input and wait; return exit code and standard error."""
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


def measure(request: object, environment: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a trial to its end; return the ready event and the result."""
    runner = Runner(request, environment)
    ready = runner.event()
    return ready, runner.go()[-1]


def refuse(request: object, environment: str | None = None) -> tuple[int, str]:
    """Run a trial that must not become ready; return exit code and the last line of standard error."""
    runner = Runner(request, environment)
    code, errors = runner.finish()
    assert "Traceback" not in errors
    return code, errors.strip().splitlines()[-1]
