"""`python -m tests.conform.double describe|run`: the runner's main."""

import os
import sys
import time

from respmark.contract.base import Message
from respmark.contract.description import ClientDescription, Description, ScenarioSupport
from respmark.contract.events import Latency, Ready, Result, Segment
from respmark.contract.trial import Form, Scenario, TrialRequest, Window
from respmark.specs.scenario import sample_covers
from tests.conform.double.honest import TargetLostError, WrongReplyError
from tests.conform.double.lies import LIES, Liar

SUPPORT = {
    Scenario.PIPELINING: ScenarioSupport(windows=list(Window)),
    Scenario.TRANSACTION: ScenarioSupport(forms=list(Form)),
}


def main() -> int:
    """Do what is asked; return the exit code."""
    if sys.argv[1:] == ["describe"]:
        say(describe())
        return 0
    try:
        run(TrialRequest.model_validate_json(sys.stdin.readline()))
    except WrongReplyError as error:
        return fail(1, str(error))
    except (TargetLostError, OSError) as error:
        return fail(4, f"the target is lost: {error}")
    return 0


def run(trial: TrialRequest) -> None:
    """Run one trial."""
    runner = LIES[str(trial.client.options["lie"])](trial)
    runner.open()
    verified = runner.verify()
    warmed = sum(runner.walk(trial.warmup_s)) if trial.warmup_s else 0
    runner.units = 0
    ready = Ready(
        schema_version=1, trial_id=trial.trial_id, startup_ns=1, verified_replies=verified, warmup_operations=warmed
    )
    say(ready)
    runner.before_go()
    if not sys.stdin.readline():
        sys.exit(1)
    began_ns = time.monotonic_ns()
    done = runner.walk(trial.measure_s)
    say(runner.claim(result(trial, runner, done, time.monotonic_ns() - began_ns)))
    runner.after_result()
    sys.stdin.read()
    runner.close()


def result(trial: TrialRequest, runner: Liar, done: list[int], elapsed_ns: int) -> Result:
    """Return the result."""
    latency = Latency(
        sample_covers=sample_covers(trial.scenario, trial.shape), histogram=[(1000, runner.units)], max_ns=1000
    )
    return Result(
        schema_version=1,
        trial_id=trial.trial_id,
        operations=sum(done),
        units=runner.units,
        segments=[Segment(first_command=f, operations=d) for f, d in zip(runner.firsts, done, strict=True)],
        errors=dict(runner.errors),
        first_error=runner.first_error,
        elapsed_ns=elapsed_ns,
        first_half=None,
        cpu_user_ns=1,
        cpu_system_ns=1,
        latency=latency,
        peak_memory_bytes=1,
        decodes_to="bytes",
        runtime_health={},
        runtime_settings={},
        versions={"double": "1"},
    )


def describe() -> Description:
    """Say what there is."""
    client = ClientDescription(
        library="double",
        version="1",
        options={"lie": list(LIES)},
        scenarios={scenario: SUPPORT.get(scenario, ScenarioSupport()) for scenario in Scenario},
    )
    return Description(
        schema_version=1, runner="double", runtime="CPython", runtime_version="3", clients=[client], missing=[]
    )


def say(message: Message) -> None:
    """Print one line of the contract."""
    print(message.model_dump_json(), flush=True)


def fail(code: int, sentence: str) -> int:
    """Say what was wrong."""
    print(sentence, file=sys.stderr)
    return code


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
