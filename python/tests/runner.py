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
    for event in ("loaded", "ready", "slice", "result")
}


def trial(scenario: str = "sync", shape: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """Return a trial of the golden workload; the changes are fields of the trial."""
    base = {
        "schema_version": 2,
        "trial_id": "test",
        "client": {"library": "redis-py"},
        "scenario": scenario,
        "shape": dict(shape or {}),
        "workload": {"path": str(GOLDEN_WORKLOAD)},
        "target": {"host": "127.0.0.1", "port": 6379},
        "verify_commands": 30,
    }
    return base | changes


def parsed(scenario: str = "sync", shape: Mapping[str, Any] | None = None, **changes: Any) -> Trial:
    """Return a trial as the runner reads it."""
    return parse_trial(json.dumps(trial(scenario, shape, **changes)))


def slice_order(number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return the order of a short slice; the changes are fields of it."""
    base = {"slice": number, "duration_ns": 20_000_000, "lead_in_ns": 10_000_000, "first_command": 0}
    return {"order": "slice", **base, "keep_samples": True, **changes}


CONNECT: Final = {"order": "connect"}
FINISH: Final = {"order": "finish"}
STARTED: Final[list["Runner"]] = []
"""Runners that the test under way has started."""


class Runner:
    """One process of the runner."""

    def __init__(self, request: object, environment: str | None = None) -> None:
        python = ENVIRONMENTS / environment / "bin" / "python" if environment else Path(sys.executable)
        command = [str(python), "-m", "respmark_python", "run"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        STARTED.append(self)
        self.tell(request)

    def tell(self, message: object) -> None:
        """Write one line to its standard input: an order, or a text as it stands."""
        assert self.process.stdin
        self.process.stdin.write(message if isinstance(message, str) else json.dumps(message) + "\n")
        self.process.stdin.flush()

    def event(self, name: str) -> dict[str, Any]:
        """Read its next event, which must be this one and follow its schema."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"no event, but: {self.finish()[1]}"
        event: dict[str, Any] = json.loads(line)
        assert event["event"] == name
        jsonschema.validate(event, EVENTS[name])
        return event

    def connect(self) -> dict[str, Any]:
        """Let it load and connect; return the ready event."""
        self.event("loaded")
        self.tell(CONNECT)
        return self.event("ready")

    def slice(self, number: int = 1, **changes: Any) -> dict[str, Any]:
        """Order a slice and return its event."""
        self.tell(slice_order(number, **changes))
        return self.event("slice")

    def result(self) -> dict[str, Any]:
        """Order the result and return it; the runner still runs."""
        self.tell(FINISH)
        return self.event("result")

    def end(self) -> dict[str, Any]:
        """Order the result, end its input and return the result."""
        result = self.result()
        assert self.finish() == (0, "")
        return result

    def kill(self) -> None:
        """End it at once."""
        with self.process:
            self.process.kill()

    def finish(self) -> tuple[int, str]:
        """Close its standard input and wait; return exit code and standard error."""
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors

    def switches(self) -> dict[str, int]:
        """Return how often each of its threads has gone to sleep, once all of them sleep."""
        while True:
            threads = Path(f"/proc/{self.process.pid}/task").iterdir()
            told = {thread.name: (thread / "status").read_text() for thread in threads}
            if all("State:\tS" in status for status in told.values()):
                return {
                    name: int(status.split("nvoluntary_ctxt_switches:")[0].split()[-2]) for name, status in told.items()
                }


def measure(request: object, environment: str | None = None) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Run a trial of one slice to its end; return the ready event, the slice and the result."""
    runner = Runner(request, environment)
    return runner.connect(), runner.slice(), runner.end()


def refuse(request: object, *orders: object, environment: str | None = None) -> tuple[int, str]:
    """Run a trial that fails at one of these orders, or before; return exit code and the last line of standard error.

    Without orders it is `connect`.
    """
    messages = (request, *(orders or [CONNECT]))
    lines = [message if isinstance(message, str) else json.dumps(message) + "\n" for message in messages]
    # All at once: a runner that has ended already could not be told.
    runner = Runner("".join(lines), environment)
    code, errors = runner.finish()
    assert "Traceback" not in errors
    return code, errors.strip().splitlines()[-1]
